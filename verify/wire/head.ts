/** The head of a response, and how its body is framed (RFC 9112, section 6). */
interface Head {
  readonly status: number;
  /** The lines of its header fields, for `headersOf`. */
  readonly fields: string;
  /** The length of the body in bytes; `undefined` when the head declares none. */
  readonly length: number | undefined;
  readonly isChunked: boolean;
}

/** The bytes received are not an HTTP response. */
export class MalformedResponse extends Error {}

/**
 * Reads the head of a response.
 *
 * @param text as Latin-1, up to the empty line that ends it
 * @throws MalformedResponse
 */
export function headOf(text: string): Head {
  const lineEnd = text.includes("\r\n") ? text.indexOf("\r\n") : text.length;
  const statusLine = text.slice(0, lineEnd);
  const status = Number(/^HTTP\/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]+$/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new MalformedResponse(`the status line is ${JSON.stringify(statusLine)}`);
  const length = /^content-length: *(\d+)$/im.exec(text)?.[1];
  return {
    status,
    fields: text.slice(lineEnd + 2),
    length: length === undefined ? undefined : Number(length),
    isChunked: /^transfer-encoding: *chunked$/im.test(text),
  };
}

/**
 * Reads header fields, none of which may come twice.
 *
 * @throws MalformedResponse
 */
export function headersOf(fields: string): Headers {
  const headers = new Headers();
  for (const field of fields === "" ? [] : fields.split("\r\n")) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/.exec(field) ?? [];
    if (name === undefined || value === undefined)
      throw new MalformedResponse(`a field is ${JSON.stringify(field)}`);
    if (headers.has(name)) throw new MalformedResponse(`${name} stands twice`);
    headers.set(name, value);
  }
  return headers;
}
