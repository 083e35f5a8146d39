import type { SampleRequest } from "./request.ts";

/** How the client names what an operation does to a resource, by method and whether the path ends in an id. */
const VERBS: Readonly<Record<string, string>> = {
  "GET collection": "list",
  "GET item": "get",
  "POST collection": "create",
  "PATCH item": "update",
};

export function clientSample({ operation, method, url, body, isPaged }: SampleRequest): string {
  const { path } = operation;
  const resource = path.split("/")[1];
  const isItem = path.endsWith("}");
  const call = `store.${resource}.${VERBS[`${method} ${isItem ? "item" : "collection"}`]}`;
  const { pathname, searchParams, origin } = new URL(url);
  const id = isItem ? `${pathname.split("/").at(-1)}n` : undefined;
  const query = [...searchParams].map(
    ([name, value]) => `${name}: ${/^\d+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const given = body === undefined ? query.length > 0 && `{ ${query.join(", ")} }` : objectLiteral(body);
  const argumentsText = [id, given].filter(Boolean).join(", ");
  const use = isPaged
    ? `for await (const item of ${call}(${argumentsText})) console.log(item);`
    : `console.log(await ${call}(${argumentsText}));`;
  return `import { AnimalStore } from "animal-store/client";

const store = new AnimalStore({
  baseUrl: ${JSON.stringify(`${origin}${pathname.slice(0, pathname.indexOf(`/${resource}`))}`)},
  apiKey: process.env.API_KEY ?? "",
});
${use}
`;
}

/** JSON as an object literal: names without quotes, integers of 64 bits as bigints. */
function objectLiteral(json: string): string {
  return json
    .replaceAll(/^(\s*)"(\w+)":/gm, "$1$2:")
    .replaceAll(/: (-?\d+)(,?)$/gm, ": $1n$2")
    .replaceAll(/(["n\]}])$(?=\n\})/gm, "$1,");
}
