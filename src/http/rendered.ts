/** An answer, whole but for the headers that every answer carries. */
export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer of 200 with a text of some media type. */
export function text(mediaType: string, body: string, headers: Record<string, string> = {}): Rendered {
  return { status: 200, headers: { "Content-Type": mediaType, ...headers }, body: Buffer.from(body) };
}
