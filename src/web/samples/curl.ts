import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

export function curlSample({ operation, method, url, headers, body }: SampleRequest): string {
  return curlLine({
    method,
    url,
    headers: {
      Authorization: "Bearer $API_KEY",
      ...headers,
      ...(takesIdempotencyKey(operation) && { "Idempotency-Key": "$(uuidgen)" }),
    },
    body,
  });
}

interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** A value may hold `$API_KEY` or `$(uuidgen)`, which the shell replaces. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A command for a POSIX shell. */
export function curlLine({ method, url, headers, body }: CurlRequest): string {
  const lines = [`curl ${method === "GET" || body !== undefined ? "" : `-X ${method} `}${singleQuoted(url)}`];
  if (body !== undefined && method !== "POST") lines[0] = `curl -X ${method} ${singleQuoted(url)}`;
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${headerQuoted(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`--data-binary ${singleQuoted(body)}`);
  return lines.join(" \\\n  ");
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In double quotes where the shell has something to replace. */
function headerQuoted(text: string): string {
  const replaced = /\$API_KEY|\$\(uuidgen\)/;
  return replaced.test(text) ? `"${text}"` : singleQuoted(text);
}
