import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

const EXACT = `// JSON.parse rounds integers beyond 2^53: long ones are put into quotes first, and every id becomes a BigInt.
const LONG_INTEGER = /("(?:\\\\.|[^"\\\\])*")|(-?\\d{16,})/g;
const parse = (text) =>
  JSON.parse(
    text.replace(LONG_INTEGER, (_, string, digits) => string ?? \`"\${digits}"\`),
    (name, value) => (/^id$|Id$/.test(name) ? BigInt(value) : value),
  );
`;

/** A script that runs as a module and as CommonJS: before 20.19, Node 20 reads a `.js` file as the latter. */
export function javascriptSample(request: SampleRequest): string {
  const main = request.isPaged ? listSample(request) : callSample(request);
  return `${EXACT}
async function main() {
${main.replaceAll(/^(?=.)/gm, "  ")}}

main();
`;
}

function listSample({ url, headers, isFeed }: SampleRequest): string {
  const own = Object.entries(headers).map(
    ([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `const headers = { Authorization: \`Bearer \${process.env.API_KEY}\`${own.join("")} };
let url = ${JSON.stringify(url)};
while (url) {
  const response = await fetch(url, { headers });
  const body = parse(await response.text());
  if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
  for (const item of body) console.log(item);
${isFeed ? "  if (body.length === 0) break; // No news yet: keep the url to ask again later.\n" : ""}
  // Follow the link to the next page as it is.
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link"))?.[1];
  url = next && new URL(next, url).href;
}
`;
}

function callSample({ operation, method, url, headers, body }: SampleRequest): string {
  const fields = [
    `Authorization: \`Bearer \${process.env.API_KEY}\`,`,
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(takesIdempotencyKey(operation)
      ? [
          "// Keep this value, and send it again if no response comes.",
          '"Idempotency-Key": crypto.randomUUID(),',
        ]
      : []),
  ];
  const bodyLines =
    body === undefined
      ? ""
      : `  // Write 64-bit integers as digits: JSON.stringify refuses BigInt.\n  body: \`${inTemplate(body).replaceAll("\n", "\n  ")}\`,\n`;
  return `const response = await fetch(${JSON.stringify(url)}, {
${method === "GET" ? "" : `  method: "${method}",\n`}  headers: {
${fields.map((field) => `    ${field}`).join("\n")}
  },
${bodyLines}});
const body = parse(await response.text());
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body);
`;
}

/** A text between backticks. */
function inTemplate(text: string): string {
  return text.replaceAll(/[\\`]|\$(?=\{)/g, "\\$&");
}
