import type { VirtualClock } from "./clock.ts";
import type { Contents } from "./contents.ts";
import type { Random } from "./random.ts";
import { READS, type Side, type Values, WRITES, type Written } from "./statements.ts";

/** What a simulated server asks of its cluster. */
interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Whether commits wait for a standby. */
  readonly waits: boolean;
  /** Begins to send a new end of the log to the standbys. */
  replicate(server: SimulatedServer): void;
  /** Resolves when a standby has received the log up to here, or a cancelled wait has ended. */
  received(server: SimulatedServer, at: number): Promise<void>;
  /** The server shows another version. */
  shown(server: SimulatedServer): void;
}

/** A simulated PostgreSQL. One write at a time holds the lock on what it changes, until its commit is shown. */
export class SimulatedServer {
  readonly name: string;
  isStandby: boolean;
  isUp = true;
  timeline = 1;
  cluster = "7001";
  /** How often it was started or went on from an earlier state: what ran before answers nothing any more. */
  starts = 1;
  /** When it was started, as it says itself: a snapshot of a machine's memory has it too. */
  began: string;
  /** All versions that its log leads to. A standby shares the log of the server that it follows. */
  log: Contents[];
  /** The version in the log that it has on its disk. */
  received = 0;
  /** The version that it shows: a primary shows one once its commit is over, a standby once it has replayed it. */
  shown = 0;
  /** The version whose revision it gave last. */
  revisionAt = 0;
  /** The version in which it was asked last about marks that no revision has shown. */
  askedAt = 0;
  /** The version in which its animals were read last. */
  readAt = 0;
  /** Until when a standby receives, and replays, nothing. */
  unreachedUntil = 0;
  pausedUntil = 0;
  /** Until when it answers nothing: its machine is being restored. */
  silentUntil = 0;
  /** How long a write to its disk takes at most, in milliseconds. */
  diskMs = 2;
  /** Whether it was a standby before. */
  wasStandby: boolean;
  readonly #around: Surroundings;
  readonly #writes: (() => Promise<void>)[] = [];
  #isWriting = false;

  constructor(name: string, log: Contents[], isStandby: boolean, around: Surroundings) {
    this.name = name;
    this.log = log;
    this.isStandby = isStandby;
    this.wasStandby = isStandby;
    this.began = `${name} ${this.starts}`;
    this.#around = around;
  }

  get contents(): Contents {
    return this.log[this.shown] as Contents;
  }

  /** Ends what it is doing: it begins again with what it has in its log. */
  restart(): void {
    this.resume();
    this.began = `${this.name} ${this.starts}`;
  }

  /** Ends what it is doing, as a machine does that goes on from a snapshot of its memory: it knows of no new start. */
  resume(): void {
    this.starts++;
    this.#writes.length = 0;
    this.#isWriting = false;
  }

  /**
   * Runs a statement.
   *
   * @returns its rows; never resolves if the server ends before
   * @throws if the simulation does not know it
   */
  run(text: string, values: Values): unknown[] | Promise<unknown[]> {
    for (const [part, write] of WRITES) {
      if (!text.includes(part)) continue;
      const token = 1 + this.#around.random.below(2 ** 30);
      return this.write((contents) => write(contents, values, this.#side, token));
    }
    this.#noteQuestion(text, values);
    for (const [part, rows] of READS)
      if (text.includes(part)) return rows(this.contents, values, this.#side, text);
    throw new Error(`the simulated PostgreSQL does not know: ${text}`);
  }

  #noteQuestion(text: string, [append, rewrite]: Values): void {
    if (text.includes("keys_revision) AS shown")) this.revisionAt = this.shown;
    if (text.includes("FROM animal_store.animal")) this.readAt = this.shown;
    const { appends, rewrites } = this.log[Math.min(this.revisionAt, this.shown)] as Contents;
    const isLater = Number(append) + Number(rewrite) > appends.length + rewrites.length;
    if (text.includes("AS append,") && isLater) this.askedAt = this.shown;
  }

  /**
   * Commits a change: it is on the disk first, then on a standby if commits wait for one, then it shows.
   *
   * @param takesMs how long it takes until it is on the disk; else that of a small change
   */
  write(change: (contents: Contents) => Written, takesMs?: number): Promise<unknown[]> {
    return new Promise((resolve) => {
      this.#writes.push(async () => {
        const { clock, random } = this.#around;
        const { starts } = this;
        await clock.sleep(takesMs ?? random.between(0.1, this.diskMs));
        if (starts !== this.starts) return;
        const { next, rows } = change(this.log.at(-1) as Contents);
        this.log.push(next);
        const at = this.log.length - 1;
        this.received = at;
        this.#around.replicate(this);
        await this.#around.received(this, at);
        await clock.sleep(random.between(0, 3));
        if (starts !== this.starts) return;
        this.shown = at;
        this.#around.shown(this);
        resolve(rows);
      });
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    const { starts } = this;
    for (let write = this.#writes.shift(); write; write = this.#writes.shift()) {
      await write();
      if (starts !== this.starts) return;
    }
    this.#isWriting = false;
  }

  get #side(): Side {
    const { isStandby, timeline, cluster, wasStandby, received, log } = this;
    return {
      isStandby,
      timeline,
      identity: `${cluster} ${timeline}`,
      received: wasStandby ? received : undefined,
      written: log.length - 1,
      waits: this.#around.waits,
    };
  }
}
