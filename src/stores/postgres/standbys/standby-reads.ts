import type { SQL } from "bun";
import type { MaybePromise } from "../../../domain/maybe-promise.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import type { FallbackReason, StandbyObserver } from "../../../observations/standby-observer.ts";
import { within } from "../../../system/within.ts";
import type { Work } from "../connect/connection.ts";
import type { Pool } from "../connect/pool.ts";
import { nameOf } from "../connect/primary.ts";
import type { Host } from "../connect/url.ts";
import { isConnectionLost } from "../errors.ts";
import { ConfirmedMarks } from "./confirmed-marks.ts";
import { LastMarks } from "./last-marks.ts";
import { type MarkedRevision, type Marks, readStandbyMarks, type StandbyMarks } from "./marks.ts";
import type { Numbers } from "./shown-together.ts";
import type { Lane, Standby } from "./standby.ts";
import { Standbys } from "./standbys.ts";

/** How long to wait for a standby once the primary has answered. A standby that is alive takes a few milliseconds. */
const PATIENCE_MS = 100;
/** How often a standby is asked that is behind, and the primary about marks that it does not show yet. */
const ATTEMPTS = 2;
const CONFIRM_ATTEMPTS = 3;
/** The pause between two attempts: a standby that streams is behind for less. */
const PAUSE_MS = 1;

/** What makes the result of a read on a standby the primary's, apart from its marks. */
export interface StandbyRule<Result> {
  /** Whether animals that were appended since cannot change a result, since they have higher ids. */
  readonly holdsDespiteAppends?: (result: Result) => boolean;
  /** Asks the primary for what no mark tells; returns whether a result agrees with it. */
  readonly agreement?: Work<(result: Result) => boolean>;
}

/** A turn of reads, for which the primary's revision was asked for. */
export interface AskedTurn {
  readonly revision: Promise<MarkedRevision>;
  /** As `DatedReply.mayBeLater`, of any of its reads. */
  mayBeLater: boolean;
}

/** A read that a standby may answer. */
interface StandbyRead {
  readonly work: Work<unknown>;
  readonly rule: StandbyRule<never> | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** The results of a packet, with marks from before the first and after the last. */
interface Packet {
  readonly before: StandbyMarks;
  readonly results: readonly Settled[];
  readonly after: StandbyMarks;
}

type Settled = { readonly result: unknown } | { readonly error: unknown };

/** Why some reads must be repeated. */
interface Missed {
  readonly reason: FallbackReason;
  readonly reads: readonly StandbyRead[];
}

const REASONS: Readonly<Record<FallbackReason, string>> = {
  none: "it is away",
  behind: "it is behind the primary",
  ahead: "it shows what the primary does not show yet",
  other_history: "its history is not the primary's",
  late: `it did not answer within ${PATIENCE_MS} ms`,
  failed: "it failed",
};

const OTHER_ORDER = "it shows changes in another order than the primary may have shown them";

/**
 * Reads from standbys, such that nobody can tell (docs/decisions/0015-standbys.md). A result counts if it shows no less than
 * the revision that the primary gave for the same turn, and nothing that the primary has not shown. What does not count is
 * read again: once more from a standby if that was behind, else from the primary.
 */
export class StandbyReads {
  readonly #standbys: Standbys;
  readonly #pool: Pool;
  readonly #confirmed: ConfirmedMarks;
  readonly #last = new LastMarks();
  /** What a standby has shown last. */
  #shown: StandbyMarks | undefined;
  readonly #observer: StandbyObserver | undefined;

  constructor(pool: Pool, emit: ObservationSink, observer: StandbyObserver | undefined) {
    this.#pool = pool;
    this.#confirmed = new ConfirmedMarks(pool);
    this.#observer = observer;
    observer?.serves(pool.target.hosts.map(nameOf));
    this.#standbys = new Standbys(pool.target, pool.deadlineMs, {
      foreign: (server) => pool.foreign(server)?.message,
      changed: (of, reason) => {
        const host = nameOf(of);
        if (reason === undefined) emit({ event: "standby_answers", host });
        else emit({ event: "standby_stopped", host, reason });
      },
      looked: (host, marks) => this.#reportLag(host, marks),
    });
    pool.onServerInUse((host) => this.#standbys.use(host));
  }

  /** Whether a standby can be asked now. If none can, the reads are counted as left to the primary. */
  canTake(lane: Lane, reads: number): boolean {
    if (this.#standbys.canAnswer(lane)) return true;
    this.#observer?.fellBack("none", reads);
    return false;
  }

  /** Remembers the marks of the primary's revision as shown. */
  note(revision: MarkedRevision): void {
    this.#confirmed.note(revision);
  }

  /**
   * Settles reads.
   *
   * @param turn of the reads; it learns whether some may show more than its revision
   * @param fallBack reads from the primary what no standby could answer
   */
  async settle(
    lane: Lane,
    reads: readonly StandbyRead[],
    turn: AskedTurn,
    fallBack: (reads: readonly StandbyRead[]) => void,
  ): Promise<void> {
    try {
      let missed: Missed = { reason: "none", reads };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const standby = this.#standbys.choose(lane);
        if (!standby) break;
        missed = await this.#attempt(standby, lane, missed.reads, turn);
        if (missed.reads.length === 0) return;
        if (missed.reason !== "behind") break;
        if (attempt < ATTEMPTS) await Bun.sleep(PAUSE_MS);
      }
      this.#observer?.fellBack(missed.reason, missed.reads.length);
      turn.mayBeLater = true;
      fallBack(missed.reads);
    } catch (error) {
      // The primary gives no revision, without which nothing counts. A read that is settled stays as it is.
      for (const { reject } of reads) reject(error);
    }
  }

  stop(): void {
    this.#standbys.stop();
  }

  /** Asks a standby, and settles the reads whose results count; returns the others. */
  async #attempt(
    standby: Standby,
    lane: Lane,
    reads: readonly StandbyRead[],
    turn: AskedTurn,
  ): Promise<Missed> {
    const answer = standby.ask(lane, (sql) => this.#readPacket(sql, reads)).catch((error: Error) => error);
    const agreements = reads.map(({ rule }) => this.#agreement(rule?.agreement));
    const asOf = await turn.revision;
    const packet = await within(PATIENCE_MS, answer, () => standby.stopWaiting(answer));
    const refuse = (reason: FallbackReason, text = REASONS[reason]): Missed => {
      if (reason === "behind" || reason === "ahead") standby.missed(text);
      else if (reason === "other_history") standby.rejected(text);
      else standby.failed(text);
      return { reason, reads };
    };
    if (!packet) return refuse("late");
    if (packet instanceof Error) return refuse("failed", packet.message);
    const { before, results, after } = packet;
    if (!after.isStandby) return refuse("other_history", "it is no standby any more");
    if (before.store !== asOf.marks.store || after.store !== asOf.marks.store) {
      return refuse("other_history", "it holds another store than the primary");
    }
    if (before.rewrites.number < asOf.marks.rewrites.number) return refuse("behind");
    const refusal = await this.#refusal(asOf.epoch, after);
    if (refusal) return refuse(refusal);
    // A dump that is restored takes a standby back while its connections last, and the reads may be of before that.
    if (before.shown !== after.shown && (await this.#confirmed.judge(asOf.epoch, before)) !== "confirmed") {
      return refuse("behind");
    }
    const to = reached(after, asOf.marks);
    const from = before === after ? to : reached(before, asOf.marks);
    // Nearly always it is known, and nothing waits.
    const haveOrder = this.#confirmed.haveOrderOf(asOf.epoch, from, to);
    if (haveOrder !== true && !(await haveOrder)) return refuse("ahead", OTHER_ORDER);
    if (isBeyond(after, asOf.marks)) turn.mayBeLater = true;
    const isBehind = before.appends.number < asOf.marks.appends.number;
    const missed: StandbyRead[] = [];
    let reason: FallbackReason = "behind";
    for (const [at, read] of reads.entries()) {
      const settled = results[at] as Settled;
      if ("error" in settled) {
        reason = "failed";
        missed.push(read);
        continue;
      }
      const result = settled.result as never;
      const holds = !isBehind || read.rule?.holdsDespiteAppends?.(result);
      if (holds && (await agreements[at])?.(result)) read.resolve(result);
      else missed.push(read);
    }
    const answered = reads.length - missed.length;
    if (answered === 0) standby.missed(REASONS[reason]);
    else {
      standby.succeeded();
      this.#observer?.answered(nameOf(standby.host), answered);
    }
    return { reason, reads: missed };
  }

  /** Why what a standby shows does not count, if the primary does not show the same in the end. */
  async #refusal(epoch: number, marks: StandbyMarks): Promise<FallbackReason | undefined> {
    for (let attempt = 1; ; attempt++) {
      const verdict = await this.#confirmed.judge(epoch, marks);
      if (verdict === "confirmed") return undefined;
      if (verdict !== "ahead") return verdict;
      if (attempt === CONFIRM_ATTEMPTS) return "ahead";
      await Bun.sleep(PAUSE_MS);
    }
  }

  #agreement(agreement: StandbyRule<never>["agreement"]): MaybePromise<(result: never) => boolean> {
    if (!agreement) return () => true;
    const asked = this.#pool.readApart(agreement);
    // It is awaited later, or never if the packet does not count.
    asked.catch(() => {});
    return asked;
  }

  /** Reads in one packet. A read that the server refuses fails alone. */
  async #readPacket(sql: SQL, reads: readonly StandbyRead[]): Promise<Packet> {
    const now = performance.now();
    const { changedAt } = this.#confirmed;
    const before = this.#last.before(sql, changedAt, now) ?? readStandbyMarks(sql, this.#shown);
    const results = reads.map(({ work }) => settled(work(sql, 0, 0)));
    const after = readStandbyMarks(sql, this.#shown);
    this.#last.note(sql, after, now);
    const [first, last, ...rest] = await Promise.all([before, after, ...results]);
    this.#shown = last;
    return { before: first, after: last, results: rest };
  }

  #reportLag(host: Host, marks: Marks): void {
    const { latest } = this.#confirmed;
    if (!latest) return;
    const lag = (log: "appends" | "rewrites") => Math.max(0, latest[log].number - marks[log].number);
    this.#observer?.lags(nameOf(host), lag("appends") + lag("rewrites"));
  }
}

/** The numbers of a standby's marks. What counts although appends are missing is what it would be with those of the revision. */
function reached({ appends, rewrites }: Marks, asOf: Marks): Numbers {
  return { appends: Math.max(appends.number, asOf.appends.number), rewrites: rewrites.number };
}

/** Whether marks show a change that others do not. */
function isBeyond({ appends, rewrites }: Marks, others: Marks): boolean {
  return appends.number > others.appends.number || rewrites.number > others.rewrites.number;
}

async function settled(reading: PromiseLike<unknown>): Promise<Settled> {
  try {
    return { result: await reading };
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    return { error };
  }
}
