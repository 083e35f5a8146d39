import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

/** Ruby's integers are exact by themselves. */
export function rubySample(request: SampleRequest): string {
  const hasKey = takesIdempotencyKey(request.operation);
  return `require "json"
require "net/http"
${hasKey ? 'require "securerandom"\n' : ""}
${CALL}
${request.isPaged ? listSample(request) : callSample(request, hasKey)}`;
}

const CALL = `def call(request)
  request["Authorization"] = "Bearer #{ENV.fetch("API_KEY")}"
  uri = request.uri
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }
  raise response.body unless response.is_a?(Net::HTTPSuccess)
  response
end
`;

function listSample({ url, headers, isFeed }: SampleRequest): string {
  const given = headerLines(headers);
  const hash = given.length > 0 ? `, { ${given.join(", ")} }` : "";
  return `url = ${rubyString(url)}
while url
  response = call(Net::HTTP::Get.new(URI(url)${hash}))
  items = JSON.parse(response.body)
  items.each { |item| puts item }
${isFeed ? "  break if items.empty? # No news yet: keep the url to ask again later.\n" : ""}  # Follow the link to the next page as it is.
  target = response["Link"].to_s[/<([^>]+)>; rel="next"/, 1]
  url = target && URI.join(url, target).to_s
end
`;
}

function callSample({ method, url, headers, body }: SampleRequest, hasKey: boolean): string {
  const lines = [
    ...headerLines(headers),
    ...(hasKey
      ? [
          "# Keep this value, and send it again if no response comes.",
          '"Idempotency-Key" => SecureRandom.uuid',
        ]
      : []),
  ];
  const hash =
    lines.length > 0
      ? `, {\n${lines.map((line) => `  ${line}${line.startsWith("#") ? "" : ","}\n`).join("")}}`
      : "";
  const name = method.charAt(0) + method.slice(1).toLowerCase();
  return `request = Net::HTTP::${name}.new(URI(${rubyString(url)})${hash})
${body === undefined ? "" : `request.body = ${rubyString(body)}\n`}puts JSON.parse(call(request).body)
`;
}

function headerLines(headers: SampleRequest["headers"]): string[] {
  return Object.entries(headers).map(([name, value]) => `${rubyString(name)} => ${rubyString(value)}`);
}

/** A literal that replaces nothing, unlike one in double quotes. */
function rubyString(text: string): string {
  return /["\\\n#]/.test(text) ? `'${text.replaceAll(/[\\']/g, "\\$&")}'` : `"${text}"`;
}
