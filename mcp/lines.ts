const LINE_END = 10;

/** A line of the input without its end, or that it was too long to be kept. */
export type Line = Uint8Array | "too long";

/** Splits an input into lines. Memory holds no more of a line than it may have. */
export async function* linesOf(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  const take = (): Line => {
    const line = length > maxBytes ? "too long" : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    let begin = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, begin)) {
      keep(chunk.subarray(begin, end));
      yield take();
      begin = end + 1;
    }
    keep(chunk.subarray(begin));
  }
  if (length > 0) yield take();
}
