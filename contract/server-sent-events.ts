/** What stands before an empty line of an event stream. An event has data; a comment or a bare position has none. */
export interface StreamBlock {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly data: string | undefined;
  readonly isComment: boolean;
  readonly text: string;
}

/**
 * Splits an event stream (WHATWG HTML, section 9.2.6) into blocks, in pieces of any size. Lines end as the service ends
 * them, with a line feed, and data is one line. A block that is cut off is left out.
 */
export class BlockSplitter {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** The blocks that a piece completes. */
  push(piece: Uint8Array): StreamBlock[] {
    const blocks = (this.#rest + this.#decoder.decode(piece, { stream: true })).split("\n\n");
    this.#rest = blocks.pop() as string;
    return blocks.map(blockOf);
  }
}

function blockOf(text: string): StreamBlock {
  const lines = text.split("\n");
  const field = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .replace(/^ /, "");
  return {
    id: field("id"),
    type: field("event"),
    data: field("data"),
    isComment: lines.some((line) => line.startsWith(":")),
    text,
  };
}
