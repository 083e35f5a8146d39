import type { VirtualClock } from "./clock.ts";
import type { Contents } from "./contents.ts";
import type { Random } from "./random.ts";
import {
  haveKeysChanged,
  type Lock,
  nothing,
  READS,
  type Side,
  type Values,
  WRITES,
  type Written,
} from "./statements.ts";

/** What waits for this waits until the run ends. */
const never = new Promise<never>(() => {});

/** What a simulated server asks of its cluster. */
interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Whether commits wait for a standby. */
  readonly waits: boolean;
  /** Whether changes may be recorded as events: each then locks the feed. */
  readonly records: boolean;
  /** Begins to send a new end of the log to the standbys. */
  replicate(server: SimulatedServer): void;
  /** Resolves when a standby has received the log up to here, or a cancelled wait has ended. */
  received(server: SimulatedServer, at: number): Promise<void>;
  /** The server shows another version. */
  shown(server: SimulatedServer): void;
}

/** A change of the contents, which is made of several versions. */
type Change = (contents: Contents) => Written;

interface WriteOptions {
  /** What it changes. */
  readonly locks: readonly Lock[];
  /** Whether it changes nothing after all, and returns no rows. */
  readonly unless?: ((contents: Contents) => boolean) | undefined;
  /** How long it takes until it is on the disk; else that of a small change. */
  readonly takesMs?: number;
}

/**
 * A simulated PostgreSQL. A write holds the locks on what it changes until its commit is shown. Writes with other locks commit
 * meanwhile: they may show in another order than they have in the log.
 */
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
  /**
   * The version that it shows: a standby once it has replayed it. A primary shows what a commit has changed once it is over, and
   * nothing yet of earlier ones in the log that are not.
   */
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
  /** The versions in the log that some commits have made that are not over. */
  readonly #hidden = new Set<number>();
  /** What it shows while something in the log before is hidden. */
  #visible: Contents | undefined;
  /** The last write that has asked for each lock. */
  readonly #holders = new Map<Lock, Promise<void>>();

  constructor(name: string, log: Contents[], isStandby: boolean, around: Surroundings) {
    this.name = name;
    this.log = log;
    this.isStandby = isStandby;
    this.wasStandby = isStandby;
    this.began = `${name} ${this.starts}`;
    this.#around = around;
  }

  get contents(): Contents {
    return this.#visible ?? (this.log[this.shown] as Contents);
  }

  /** Ends what it is doing: it begins again with what it has in its log. */
  restart(): void {
    this.resume();
    this.began = `${this.name} ${this.starts}`;
  }

  /** Ends what it is doing, as a machine does that goes on from a snapshot of its memory: it knows of no new start. */
  resume(): void {
    this.starts++;
    this.#hidden.clear();
    this.#visible = undefined;
    this.#holders.clear();
  }

  /**
   * Runs a statement.
   *
   * @returns its rows; never resolves if the server ends before
   * @throws if the simulation does not know it
   */
  run(text: string, values: Values): unknown[] | Promise<unknown[]> {
    for (const { part, write, locks, ifKeysAt } of WRITES) {
      if (!text.includes(part)) continue;
      const token = 1 + this.#around.random.below(2 ** 30);
      const side = this.#side;
      const unless = ifKeysAt ? (contents: Contents) => haveKeysChanged(contents, values[0]) : undefined;
      return this.write((contents) => write(contents, values, side, token), { locks, unless });
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
   * @returns its rows; never resolves if the server ends before
   */
  async write(change: Change, { locks, unless, takesMs }: WriteOptions): Promise<unknown[]> {
    const { clock, random } = this.#around;
    const { starts } = this;
    const free = this.#lock(locks);
    await free.before;
    await clock.sleep(takesMs ?? random.between(0.1, this.diskMs));
    if (starts !== this.starts) return await never;
    const changed: Change = unless?.(this.contents) ? nothing : change;
    const { next, rows } = changed(this.contents);
    const tip = this.log.at(-1) as Contents;
    this.log.push(this.#hidden.size > 0 ? changed(tip).next : next);
    const at = this.log.length - 1;
    this.received = at;
    this.#hidden.add(at);
    this.#around.replicate(this);
    await this.#around.received(this, at);
    // Some sessions notice late that their standby has answered.
    await clock.sleep(random.between(0, random.happens(0.1) ? 30 : 3));
    if (starts !== this.starts) return await never;
    this.#show(at, changed);
    free.done();
    return rows;
  }

  /** Takes locks once all that asked for them before are done. */
  #lock(locks: readonly Lock[]): { readonly before: Promise<unknown>; done(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    // Nobody waits for the feed where nothing is recorded.
    const taken = locks.filter((lock) => lock !== "feed" || this.#around.records);
    const before = Promise.all(taken.map((lock) => this.#holders.get(lock)));
    for (const lock of taken) this.#holders.set(lock, promise);
    return { before, done: resolve };
  }

  /** A commit is over. */
  #show(at: number, change: Change): void {
    const before = this.contents;
    this.#hidden.delete(at);
    this.shown = Math.max(this.shown, at);
    const isWhole = [...this.#hidden].every((hidden) => hidden > this.shown);
    this.#visible = isWhole ? undefined : change(before).next;
    this.#around.shown(this);
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
