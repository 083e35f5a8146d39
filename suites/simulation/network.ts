import type { SQL } from "bun";
import { Refused } from "../../src/stores/postgres/connect/refused.ts";
import type { Session } from "../../src/stores/postgres/connect/server.ts";
import type { VirtualClock } from "./clock.ts";
import type { Random } from "./random.ts";
import type { SimulatedServer } from "./server.ts";
import type { Values } from "./statements.ts";

/** A connection, whose two directions keep the order of what is sent. Different connections have delays of their own. */
class Line {
  readonly server: SimulatedServer;
  /** Nothing reaches the server any more, and nobody says so. */
  isHalfOpen = false;
  isClosed = false;
  /** When the last statement and the last answer arrive. */
  asked = 0;
  answered = 0;
  /** The answer before the next one: a server answers in the order of the statements. */
  before: Promise<unknown> = Promise.resolve();
  readonly lost = Promise.withResolvers<void>();

  constructor(server: SimulatedServer) {
    this.server = server;
  }

  close(): void {
    this.isClosed = true;
    this.lost.resolve();
  }
}

/** The network between Animal Store and the servers: the other side of `connect`. */
export class Network {
  /** Until when no packet is late. */
  steadyUntil = 0;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #servers: readonly SimulatedServer[];
  #lines: Line[] = [];
  readonly #cutAt = new Map<SimulatedServer, number>();
  #processes = 0;

  constructor(clock: VirtualClock, random: Random, servers: readonly SimulatedServer[]) {
    this.#clock = clock;
    this.#random = random;
    this.#servers = servers;
  }

  /** Takes the place of `connect`: what it asks a server, this takes from the simulated server. */
  async connect(name: string, withinMs: number): Promise<Session> {
    const server = this.#servers.find((one) => one.name === name) as SimulatedServer;
    await this.#clock.sleep(Math.max(this.#delay() * 2, server.silentUntil - this.#clock.now));
    if (!server.isUp) {
      // A machine that is away refuses nothing.
      if (this.#random.happens(0.5)) await this.#clock.sleep(withinMs);
      throw new Refused("is away", true);
    }
    const line = new Line(server);
    this.#lines = [...this.#lines.filter(({ isClosed }) => !isClosed), line];
    const { isStandby: standby, timeline, cluster, began, contents } = server;
    const database = contents.store;
    const process = ++this.#processes;
    // Its answer takes its time, in which everything may change.
    await this.#clock.sleep(this.#delay());
    return {
      sql: this.#client(line),
      server: {
        majorVersion: 18,
        process,
        standby,
        readOnly: standby,
        timeline,
        cluster,
        began,
        database,
        holdsStore: true,
        settings: {},
      },
      lost: line.lost.promise,
    };
  }

  /**
   * Cuts connections to a server: each is half-open for good, or its end arrives after a while.
   *
   * @param lasting how many of them are not cut, as a share
   */
  cut(server: SimulatedServer, halfOpen: number, lasting = 0): void {
    this.#cutAt.set(server, this.#clock.now);
    for (const line of this.#lines.filter((one) => one.server === server && !one.isClosed)) {
      if (this.#random.happens(lasting)) continue;
      line.isHalfOpen = true;
      if (!this.#random.happens(halfOpen))
        this.#clock.at(this.#clock.now + this.#random.between(0, 50), () => line.close());
    }
  }

  /** When connections to a server were cut last, in milliseconds. */
  cutAt(server: SimulatedServer): number {
    return this.#cutAt.get(server) ?? Number.NEGATIVE_INFINITY;
  }

  #client(line: Line): SQL {
    const query = (text: string, values: Values) =>
      new Query(text, values, (...of) => this.#ask(line, ...of));
    const sql = (parts: TemplateStringsArray, ...values: unknown[]) => {
      // A query within a query is a part of its text.
      const text = parts.reduce((all, part, at) => {
        const before = values[at - 1];
        return `${all}${before instanceof Query ? before.text : "$"}${part}`;
      });
      return query(
        text,
        values.filter((value) => !(value instanceof Query)),
      );
    };
    return Object.assign(sql, {
      // Several statements in one message have a result each: those before the last one set something.
      unsafe: (text: string, values: unknown[] = []) =>
        text.startsWith("SET ") ? query(text, values).then((rows) => [[], rows]) : query(text, values),
      array: (values: readonly unknown[]) => values,
      close: async () => line.close(),
    }) as unknown as SQL;
  }

  #ask(line: Line, text: string, values: Values): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      line.asked = Math.max(line.asked, this.#clock.now + this.#delay());
      this.#clock.at(line.asked, () => {
        if (line.isHalfOpen || line.isClosed) return;
        const run = () => {
          try {
            return line.server.run(text, values);
          } catch (error) {
            reject(error);
            return [];
          }
        };
        // A statement runs after the one before it, on a busy standby a moment later: it replays in between.
        const busyMs = line.server.isStandby && this.#random.happens(0.05) ? this.#random.between(0, 8) : 0;
        const takesMs = Math.max(busyMs, line.server.silentUntil - this.#clock.now);
        line.before = line.before.then(() => (takesMs <= 0 ? run() : this.#clock.sleep(takesMs).then(run)));
        void line.before.then((rows) => {
          line.answered = Math.max(line.answered, this.#clock.now + this.#delay());
          this.#clock.at(line.answered, () => {
            if (!line.isClosed && !line.isHalfOpen) resolve(rows as unknown[]);
          });
        });
      });
    });
  }

  /** Most packets are fast, some are late, and few are lost and sent again. */
  #delay(): number {
    if (this.#clock.now < this.steadyUntil) return this.#random.between(0.1, 2);
    if (this.#random.happens(0.002)) return this.#random.between(100, 240);
    return this.#random.happens(0.03) ? this.#random.between(1, 150) : this.#random.between(0.1, 2);
  }
}

/** A statement that leaves when somebody waits for it, as the library's do. */
class Query implements PromiseLike<unknown[]> {
  readonly text: string;
  readonly #values: Values;
  readonly #ask: (text: string, values: Values) => Promise<unknown[]>;
  #answer: Promise<unknown[]> | undefined;

  constructor(text: string, values: Values, ask: (text: string, values: Values) => Promise<unknown[]>) {
    this.text = text;
    this.#values = values;
    this.#ask = ask;
  }

  // biome-ignore lint/suspicious/noThenProperty: the library's queries are awaited too.
  then<Then = unknown[], Caught = never>(
    done?: ((rows: unknown[]) => Then | PromiseLike<Then>) | null,
    failed?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Then | Caught> {
    this.#answer ??= this.#ask(this.text, this.#values);
    return this.#answer.then(done, failed);
  }

  catch<Caught = never>(failed?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null) {
    return this.then(undefined, failed);
  }
}
