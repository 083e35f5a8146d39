import type { SampleRequest } from "./request.ts";

export function clientSample({ operation, url, headers, body, isPaged }: SampleRequest): string {
  const { path } = operation;
  const resource = path.split("/")[1];
  const isItem = path.endsWith("}");
  // A method of the client has the verb of its operation: `placeOrder` is `orders.place`.
  const call = `store.${resource}.${operation.id.replace(/[A-Z].*/, "")}`;
  const { pathname, searchParams, origin } = new URL(url);
  const id = isItem ? bigintOf(decodeURIComponent(pathname.split("/").at(-1) ?? "")) : undefined;
  const query = [...searchParams].map(
    ([name, value]) => `${name}: ${/^\d+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const given = body === undefined ? query.length > 0 && `{ ${query.join(", ")} }` : bodyArgument(body);
  const options = optionsOf(headers);
  // A list takes a query before its options.
  const argumentsText = [id, given || (isPaged && options && "{}"), options].filter(Boolean).join(", ");
  const use = isPaged
    ? `for await (const item of ${call}(${argumentsText})) console.log(item);`
    : `console.log(await ${call}(${argumentsText}));`;
  return `import { AnimalStore } from "@animal-store/client";

const store = new AnimalStore({
  baseUrl: ${JSON.stringify(`${origin}${pathname.slice(0, pathname.indexOf(`/${resource}`))}`)},
  apiKey: process.env.API_KEY ?? "",
});
${use}
`;
}

/** An id as a literal. Text that is not an integer fails as it would in a program. */
function bigintOf(id: string): string {
  return /^\d+$/.test(id) ? `${id}n` : `BigInt(${JSON.stringify(id)})`;
}

/** The headers of a call. The client itself sends the media type that the operation takes. */
function optionsOf({ "Content-Type": _, ...headers }: SampleRequest["headers"]): string | undefined {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return lines.length > 0 ? `{ headers: { ${lines.join(", ")} } }` : undefined;
}

/** The body as an argument: the value alone if it has a single member. */
function bodyArgument(json: string): string {
  const literal = objectLiteral(json);
  const [, only] = /^\{\n {2}\w+: (.+),\n\}$/.exec(literal) ?? [];
  return only ?? literal;
}

/** JSON as an object literal: names without quotes, integers of 64 bits as bigints. */
function objectLiteral(json: string): string {
  return json
    .replaceAll(/^(\s*)"(\w+)":/gm, "$1$2:")
    .replaceAll(/: (-?\d+)(,?)$/gm, ": $1n$2")
    .replaceAll(/(["n\]}])$(?=\n\})/gm, "$1,");
}
