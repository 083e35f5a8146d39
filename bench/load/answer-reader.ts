/** Finds the end of each response in the bytes of one connection, however they are cut. It knows the HTTP/1.1 that the servers here send. */
export class AnswerReader {
  #rest: Buffer | undefined;

  /** Takes a chunk, and returns the status of the response that it completes. */
  read(chunk: Buffer): number | undefined {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = endOfAnswer(bytes);
    this.#rest = end === undefined ? Buffer.from(bytes) : undefined;
    if (end === undefined) return undefined;
    if (end < bytes.length) throw new Error("more came than was asked for");
    return Number(bytes.toString("latin1", 9, 12));
  }
}

/** The end of the response at the start of the bytes; `undefined` while it is incomplete. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd + 2);
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  const bodyStart = headEnd + 4;
  if (length !== undefined) {
    const end = bodyStart + Number(length);
    return end <= bytes.length ? end : undefined;
  }
  if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) return endOfChunks(bytes, bodyStart);
  throw new Error(`an answer without a length: ${head}`);
}

function endOfChunks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return at;
  }
}
