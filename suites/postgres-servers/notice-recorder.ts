import type { Interference, Link } from "../../test/support/proxy.ts";

const NOTICE = "N".charCodeAt(0);
/** The field of a notice that holds its text. */
const TEXT = "M".charCodeAt(0);

/** Reads in passing the notices that PostgreSQL sends to clients, from its protocol's messages; without TLS. */
export class NoticeRecorder implements Interference {
  #notices: string[] = [];
  readonly #rests = new Map<Link, Buffer>();

  /** The notices since the last call. */
  take(): string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  toClient(data: Buffer, link: Link): undefined {
    const earlier = this.#rests.get(link);
    // The first answer, one byte, refuses TLS.
    let rest = earlier ? Buffer.concat([earlier, data]) : data.subarray(1);
    for (;;) {
      if (rest.length < 5) break;
      const end = 1 + rest.readInt32BE(1);
      if (rest.length < end) break;
      if (rest[0] === NOTICE) this.#notices.push(textOf(rest.subarray(5, end)));
      rest = rest.subarray(end);
    }
    this.#rests.set(link, rest);
  }
}

/** Each field is a code, a text and a zero. */
function textOf(fields: Buffer): string {
  for (let at = 0; fields[at]; ) {
    const end = fields.indexOf(0, at);
    if (fields[at] === TEXT) return fields.toString("utf8", at + 1, end);
    at = end + 1;
  }
  return "";
}
