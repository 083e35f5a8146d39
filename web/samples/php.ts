import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

/** PHP's integers are exact on 64-bit systems. */
export function phpSample(request: SampleRequest): string {
  return `<?php

${CALL}
${request.isPaged ? listSample(request) : callSample(request)}`;
}

const CALL = `function call(string $method, string $url, array $headers, ?string $body = null): array
{
    $headers[] = 'Authorization: Bearer ' . getenv('API_KEY');
    $options = ['method' => $method, 'header' => $headers, 'content' => $body ?? '', 'ignore_errors' => true];
    $text = file_get_contents($url, false, stream_context_create(['http' => $options]));
    preg_match('~^HTTP/\\S+ (\\d+)~', $http_response_header[0], $status);
    if ($status[1] >= 400) {
        throw new RuntimeException($text);
    }
    return [json_decode($text), implode("\\n", $http_response_header)];
}
`;

function listSample({ url, headers, isFeed }: SampleRequest): string {
  return `$url = ${phpString(url)};
while ($url !== null) {
    [$items, $received] = call('GET', $url, ${headerList(headers)});
    foreach ($items as $item) {
        print_r($item);
    }
${isFeed ? "    if (!$items) {\n        break; // No news yet: keep the url to ask again later.\n    }\n" : ""}    // Follow the link to the next page as it is. It begins with the path.
    $hasNext = preg_match('~^Link:.*?<([^>]+)>; rel="next"~mi', $received, $link);
    $url = $hasNext ? preg_replace('~(?<=[^/:])/.*~', '', $url) . $link[1] : null;
}
`;
}

function callSample({ operation, method, url, headers, body }: SampleRequest): string {
  const own = Object.entries(headers).map(([name, value]) => `    ${phpString(`${name}: ${value}`)},\n`);
  const key = takesIdempotencyKey(operation)
    ? `    // Keep this value, and send it again if no response comes.
    'Idempotency-Key: ' . bin2hex(random_bytes(16)),
`
    : "";
  const list = own.length > 0 || key ? `[\n${own.join("")}${key}]` : "[]";
  const content = body === undefined ? "" : `, ${phpString(body)}`;
  return `[$item] = call('${method}', ${phpString(url)}, ${list}${content});
print_r($item);
`;
}

function headerList(headers: SampleRequest["headers"]): string {
  const lines = Object.entries(headers).map(([name, value]) => phpString(`${name}: ${value}`));
  return `[${lines.join(", ")}]`;
}

function phpString(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
