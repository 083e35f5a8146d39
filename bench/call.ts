/** A request of the load. */
export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A call as it goes over the wire. */
export function wireForm(address: string, { method, path, headers, body = "" }: Call): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(address).host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (method === "POST") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Encodes calls for a load generator: for each, its length in decimal, a line feed and its bytes. */
export function callsFile(address: string, calls: readonly Call[]): Buffer {
  return Buffer.concat(
    calls.flatMap((call) => {
      const bytes = wireForm(address, call);
      return [Buffer.from(`${bytes.length}\n`), bytes];
    }),
  );
}

/** Decodes what `callsFile` encodes. */
export function readCallsFile(file: Buffer): Buffer[] {
  const calls: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    const line = file.indexOf("\n", at);
    const end = line + 1 + Number(file.toString("latin1", at, line));
    calls.push(file.subarray(line + 1, end));
    at = end;
  }
  return calls;
}
