import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

/** Makes a random key with tools that every POSIX system has; some lack `uuidgen`. */
const NEW_IDEMPOTENCY_KEY = `# Keep this value, and send it again if no response comes.
IDEMPOTENCY_KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')
`;

export function curlSample({ operation, method, url, headers, body }: SampleRequest): string {
  const hasKey = takesIdempotencyKey(operation);
  const line = curlLine({
    method,
    url,
    headers: {
      Authorization: "Bearer $API_KEY",
      ...headers,
      ...(hasKey && { "Idempotency-Key": "$IDEMPOTENCY_KEY" }),
    },
    body,
  });
  return (hasKey ? NEW_IDEMPOTENCY_KEY : "") + line;
}

interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** A value may hold `$API_KEY` or `$IDEMPOTENCY_KEY`, which the shell replaces. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A command for a POSIX shell. */
export function curlLine({ method, url, headers, body }: CurlRequest): string {
  const implied = body === undefined ? "GET" : "POST";
  const options = [
    ...(method === implied ? [] : [`-X ${method}`]),
    // Without it, curl holds events back until its buffer is full.
    ...(headers.Accept === "text/event-stream" ? ["-N"] : []),
  ];
  return [
    ["curl", ...options, singleQuoted(url)].join(" "),
    ...Object.entries(headers).map(([name, value]) => `-H ${headerQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${singleQuoted(body)}`]),
  ].join(" \\\n  ");
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In double quotes if the shell has something to replace. */
function headerQuoted(text: string): string {
  return /\$(?:API_KEY|IDEMPOTENCY_KEY)/.test(text) ? `"${text}"` : singleQuoted(text);
}
