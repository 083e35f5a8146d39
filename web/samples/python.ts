import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

/** Python's integers are exact by themselves. */
export function pythonSample(request: SampleRequest): string {
  return request.isPaged ? listSample(request) : callSample(request);
}

const READ_ERROR = `except urllib.error.HTTPError as refusal:
    error = json.load(refusal)
    raise SystemExit(f"{error['code']}: {error['message']}")
`;

function listSample({ url, headers, isFeed }: SampleRequest): string {
  const own = Object.entries(headers).map(
    ([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `import json, os, re, urllib.error, urllib.parse, urllib.request

headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"${own.join("")}}
url = ${JSON.stringify(url)}
try:
    while url:
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request) as response:
            items = json.load(response)
            for item in items:
                print(item)
${isFeed ? "            if not items:\n                break  # No news yet: keep the url to ask again later.\n" : ""}            link = response.headers.get("Link", "")
        # Follow the link to the next page as it is.
        following = re.search(r'<([^>]+)>; rel="next"', link)
        url = following and urllib.parse.urljoin(url, following[1])
${READ_ERROR}`;
}

function callSample({ operation, method, url, headers, body }: SampleRequest): string {
  const hasKey = takesIdempotencyKey(operation);
  const fields = [
    `"Authorization": f"Bearer {os.environ['API_KEY']}",`,
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(hasKey
      ? [
          "# Keep this value, and send it again if no response comes.",
          '"Idempotency-Key": str(uuid.uuid4()),',
        ]
      : []),
  ];
  return `import json, os, urllib.error, urllib.request${hasKey ? ", uuid" : ""}

request = urllib.request.Request(
    ${JSON.stringify(url)},
${method === "GET" ? "" : `    method="${method}",\n`}    headers={
${fields.map((field) => `        ${field}`).join("\n")}
    },
${body === undefined ? "" : `    data=json.dumps(${asPython(body).replaceAll("\n", "\n    ")}).encode(),\n`})
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response))
${READ_ERROR}`;
}

const CONSTANTS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

/** JSON as an expression of Python. */
function asPython(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, (token) => CONSTANTS[token] ?? token);
}
