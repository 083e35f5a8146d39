import { headOf } from "../../verify/wire/head.ts";

/** Finds the end of each response in the bytes of one connection, however they are cut. It knows the HTTP/1.1 that the servers here send. */
export class AnswerReader {
  #rest: Buffer | undefined;

  /** Takes a chunk, and returns the status of the response that it completes. */
  read(chunk: Buffer): number | undefined {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    const answer = answerIn(bytes);
    this.#rest = answer === undefined ? Buffer.from(bytes) : undefined;
    if (answer === undefined) return undefined;
    if (answer.end < bytes.length) throw new Error("more came than was asked for");
    return answer.status;
  }
}

/** The response at the start of the bytes; `undefined` while it is incomplete. */
function answerIn(bytes: Buffer): { readonly status: number; readonly end: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const { status, length, isChunked } = headOf(head);
  const start = headEnd + 4;
  if (length === undefined && !isChunked) throw new Error(`an answer without a length: ${head}`);
  const end = length === undefined ? endOfChunks(bytes, start) : start + length;
  return end !== undefined && end <= bytes.length ? { status, end } : undefined;
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
