import type { SQL } from "bun";
import { Refused } from "../../src/stores/postgres/connect/refused.ts";
import type { Session } from "../../src/stores/postgres/connect/server.ts";
import type { VirtualClock } from "./clock.ts";
import type { Random } from "./random.ts";
import type { SimulatedServer } from "./server.ts";

/** A connection, whose two directions keep the order of what is sent. Different connections have delays of their own. */
class Line {
  readonly server: SimulatedServer;
  /** Nothing reaches the server any more, and nobody says so. */
  isHalfOpen = false;
  isClosed = false;
  /** When the last statement and the last answer arrive. */
  asked = 0;
  answered = 0;
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
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #servers: readonly SimulatedServer[];
  #lines: Line[] = [];
  #processes = 0;

  constructor(clock: VirtualClock, random: Random, servers: readonly SimulatedServer[]) {
    this.#clock = clock;
    this.#random = random;
    this.#servers = servers;
  }

  /** Takes the place of `connect`: what it asks a server, this takes from the simulated server. */
  async connect(name: string, withinMs: number): Promise<Session> {
    const server = this.#servers.find((one) => one.name === name) as SimulatedServer;
    await this.#clock.sleep(this.#delay() * 2);
    if (!server.isUp) {
      // A machine that is away refuses nothing.
      if (this.#random.happens(0.5)) await this.#clock.sleep(withinMs);
      throw new Refused("is away", true);
    }
    const line = new Line(server);
    this.#lines = [...this.#lines.filter(({ isClosed }) => !isClosed), line];
    const { isStandby: standby, timeline, starts, contents } = server;
    return {
      sql: this.#client(line),
      server: {
        majorVersion: 18,
        process: ++this.#processes,
        standby,
        readOnly: standby,
        timeline,
        cluster: undefined,
        began: `${server.name} ${starts}`,
        database: contents.store,
        holdsStore: true,
        settings: {},
      },
      lost: line.lost.promise,
    };
  }

  /** Cuts the connections to a server whose machine ends: each is half-open for good, or its end arrives after a while. */
  cut(server: SimulatedServer, halfOpen: number): void {
    for (const line of this.#lines.filter((one) => one.server === server && !one.isClosed)) {
      line.isHalfOpen = true;
      if (!this.#random.happens(halfOpen))
        this.#clock.at(this.#clock.now + this.#random.between(0, 50), () => line.close());
    }
  }

  #client(line: Line): SQL {
    const ask = (text: string, values: readonly unknown[]) => this.#ask(line, text, values);
    const sql = (parts: TemplateStringsArray, ...values: unknown[]) => ask(parts.join("$"), values);
    return Object.assign(sql, {
      unsafe: (text: string, values: unknown[] = []) => ask(text, values),
      close: async () => line.close(),
    }) as unknown as SQL;
  }

  #ask(line: Line, text: string, values: readonly unknown[]): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      line.asked = Math.max(line.asked, this.#clock.now + this.#delay());
      this.#clock.at(line.asked, () => {
        if (line.isHalfOpen || line.isClosed) return;
        let answer: () => void;
        try {
          const rows = line.server.answer(text, values);
          answer = () => resolve(rows);
        } catch (error) {
          answer = () => reject(error);
        }
        line.answered = Math.max(line.answered, this.#clock.now + this.#delay());
        this.#clock.at(line.answered, () => {
          if (!line.isClosed) answer();
        });
      });
    });
  }

  /** Most packets are fast, and some are late. */
  #delay(): number {
    return this.#random.happens(0.03) ? this.#random.between(1, 150) : this.#random.between(0.1, 2);
  }
}
