import type { Interference, Link } from "../support/proxy.ts";

/** A statement as a client sent it, and the types (OIDs) that the client gave its parameters; 0 where it gave none. */
export interface Statement {
  readonly text: string;
  readonly types: readonly number[];
  /** Whether the client prepared it. Otherwise the server plans it each time that it comes. */
  readonly isPrepared: boolean;
}

/** The code in the first message of a connection that asks for a session, not for TLS. */
const STARTUP = 196_608;
const PARSE = "P".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);

/** Reads in passing which statements clients send to PostgreSQL, from its protocol's messages; without TLS. */
export class StatementRecorder implements Interference {
  readonly #statements = new Map<string, Statement>();
  readonly #links = new Map<Link, { rest: Buffer; started: boolean }>();

  /** Each text once. */
  statements(): Statement[] {
    return [...this.#statements.values()];
  }

  toServer(data: Buffer, link: Link): undefined {
    const state = this.#links.get(link) ?? { rest: Buffer.alloc(0), started: false };
    this.#links.set(link, state);
    let rest = Buffer.concat([state.rest, data]);
    for (;;) {
      // Messages before the session has begun carry no type.
      const head = state.started ? 1 : 0;
      if (rest.length < head + 4) break;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) break;
      if (state.started) this.#read(rest[0] as number, rest.subarray(head + 4, end));
      else state.started = rest.readInt32BE(4) === STARTUP;
      rest = rest.subarray(end);
    }
    state.rest = rest;
  }

  #read(type: number, body: Buffer): void {
    if (type === QUERY) this.#add(body.toString("utf8", 0, body.indexOf(0)), [], false);
    if (type !== PARSE) return;
    const begin = body.indexOf(0) + 1;
    const end = body.indexOf(0, begin);
    const count = body.readInt16BE(end + 1);
    const types = Array.from({ length: count }, (_, at) => body.readInt32BE(end + 3 + at * 4));
    this.#add(body.toString("utf8", begin, end), types, true);
  }

  #add(text: string, types: readonly number[], isPrepared: boolean): void {
    this.#statements.set(text, { text, types, isPrepared });
  }
}
