import type { SQL } from "bun";
import { Pauses } from "../../../system/pauses.ts";
import { within } from "../../../system/within.ts";
import { Connection } from "../connect/connection.ts";
import { ConnectionGroup } from "../connect/connection-group.ts";
import { connect, endSession, type Target } from "../connect/server.ts";
import type { ServerInfo } from "../connect/server-info.ts";
import { SharedSession } from "../connect/transaction-pooler.ts";
import type { Host } from "../connect/url.ts";
import { readStandbyMarks, type StandbyMarks } from "./marks.ts";

/**
 * Which reads travel together: those of stable operations, and the rest, which may wait for a lock on their own tables. As on
 * the primary, each kind has connections of its own.
 */
export type Lane = "stable" | "apart";
const LANES: readonly Lane[] = ["stable", "apart"];

/** A standby that does not answer a small question within this time has stopped answering. */
const LOOK_MS = 500;
/** How long a standby that could not help is left alone; it doubles up to the maximum while it cannot. */
const REST_MIN_MS = 100;
const REST_MAX_MS = 1000;
/** A standby may be behind, or ahead, for a moment. It rests once it has been so for this long. */
const TOLERATED_MS = 100;
/** A standby that has given no answer for this long has stopped answering. */
const STOPPED_AFTER_MS = 2000;
/** Of how many of the last measurements the fastest counts: the others tell how busy machines were. */
const MEASUREMENTS = 8;

/** Why a standby cannot help, and since when, in milliseconds of the monotonic clock. */
interface Failing {
  readonly reason: string;
  readonly since: number;
  /** Whether it gave no answer, so that any answer shows that it is back. */
  readonly isUnreachable: boolean;
}

/** One standby: its connections, and whether it is worth asking. */
export class Standby {
  readonly host: Host;
  readonly #target: Target;
  readonly #deadlineMs: number;
  readonly #foreign: (server: ServerInfo) => string | undefined;
  readonly #onChange: (stopped: string | undefined) => void;
  readonly #lanes: Readonly<Record<Lane, ConnectionGroup>> = {
    stable: this.#group("stable", 3),
    apart: this.#group("apart", 1),
  };
  #server: ServerInfo | undefined;
  readonly #opening = new Set<Lane>();
  /** No further connection is opened there until it is looked at again, since the server may be full. */
  readonly #refused = new Set<Lane>();
  /** Answers that somebody has stopped waiting for. */
  #overdue = 0;
  /** Since when no answer could be used, in milliseconds of the monotonic clock. */
  #missingSince: number | undefined;
  #restUntil = 0;
  readonly #rests = new Pauses(REST_MIN_MS, REST_MAX_MS);
  #durations: readonly number[] = [];
  /** Left out until it has answered, or has stopped before that. */
  #isAnswering: boolean | undefined;
  #failing: Failing | undefined;
  #isClosed = false;

  /**
   * @param deadlineMs how long a statement may take
   * @param foreign why a server must not be asked, if it is of another cluster or has another name in the URL
   * @param onChange called when it begins to answer, or stops: then with the reason
   */
  constructor(
    host: Host,
    target: Target,
    deadlineMs: number,
    foreign: (server: ServerInfo) => string | undefined,
    onChange: (stopped: string | undefined) => void,
  ) {
    this.host = host;
    this.#target = target;
    this.#deadlineMs = deadlineMs;
    this.#foreign = foreign;
    this.#onChange = onChange;
  }

  /** How long a small question takes, in milliseconds; 0 before it was measured. */
  get milliseconds(): number {
    return this.#durations.length === 0 ? 0 : Math.min(...this.#durations);
  }

  /** The server that it is connected to. */
  get server(): ServerInfo | undefined {
    return LANES.some((lane) => !this.#lanes[lane].isLost) ? this.#server : undefined;
  }

  /** The statements under way. */
  get load(): number {
    const all = LANES.flatMap((lane) => this.#lanes[lane].connections);
    return all.reduce((sum, { load }) => sum + load, 0);
  }

  /** Whether it can be asked now. */
  isUsable(lane: Lane, now: number): boolean {
    return this.#overdue === 0 && now >= this.#restUntil && this.#lanes[lane].leastLoaded !== undefined;
  }

  /** Sends statements in one packet, in their order. */
  ask<Result>(lane: Lane, work: (sql: SQL) => Promise<Result>): Promise<Result> {
    return this.#lanes[lane].run(work, performance.now() + this.#deadlineMs);
  }

  /** Stops waiting for an answer: the standby is not asked again until it has come, or its connection was given up. */
  stopWaiting(answer: Promise<unknown>): void {
    this.#overdue++;
    const settle = () => {
      this.#overdue--;
    };
    answer.then(settle, settle);
  }

  /** Notes that an answer could be used. */
  succeeded(): void {
    this.#missingSince = undefined;
    this.#rests.reset();
    this.#failing = undefined;
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.#onChange(undefined);
  }

  /** Notes that an answer was behind or ahead of the primary: the next one may be good. */
  missed(reason: string): void {
    const now = performance.now();
    this.#missingSince ??= now;
    if (now - this.#missingSince >= TOLERATED_MS) this.#pause(reason, false);
  }

  /** Notes that an answer was of another history or store: every other one will be, until one can be used. */
  rejected(reason: string): void {
    this.#pause(reason, false);
  }

  /** Notes that there was no answer. */
  failed(reason: string): void {
    this.#pause(reason, true);
  }

  /**
   * Gives up what is overdue, connects if necessary, and measures how fast it answers.
   *
   * @returns its marks; `undefined` if it does not answer
   */
  async look(): Promise<StandbyMarks | undefined> {
    const now = performance.now();
    this.#refused.clear();
    this.#leaveIfForeign();
    for (const lane of LANES) {
      this.#lanes[lane].sweep(now, (what) => `${what} within ${this.#deadlineMs} ms`);
      if (this.#lanes[lane].leastLoaded === undefined) void this.#open(lane);
    }
    this.#reportStop(now);
    if (!this.isUsable("stable", now)) return undefined;
    const answer = this.ask("stable", (sql) => readStandbyMarks(sql));
    try {
      const marks = await within(LOOK_MS, answer, () => this.stopWaiting(answer));
      if (marks) this.#measured(performance.now() - now);
      return marks ?? undefined;
    } catch (error) {
      this.failed((error as Error).message);
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const lane of LANES)
      for (const connection of this.#lanes[lane].connections) connection.end("closed");
  }

  /** Two names of one server may be connected at the same moment, when neither knows the other. */
  #leaveIfForeign(): void {
    const foreign = this.server && this.#foreign(this.server);
    if (foreign === undefined) return;
    this.#leave();
    this.failed(`it ${foreign}`);
  }

  #leave(): void {
    for (const lane of LANES) for (const connection of this.#lanes[lane].connections) connection.leave();
  }

  #measured(took: number): void {
    this.#durations = [took, ...this.#durations.slice(0, MEASUREMENTS - 1)];
    if (this.#failing?.isUnreachable) this.#failing = undefined;
  }

  #pause(reason: string, isUnreachable: boolean): void {
    const now = performance.now();
    this.#failing = { reason, isUnreachable, since: this.#failing?.since ?? now };
    this.#restUntil = now + this.#rests.next();
  }

  #reportStop(now: number): void {
    if (this.#isAnswering === false || !this.#failing || now - this.#failing.since < STOPPED_AFTER_MS) return;
    this.#isAnswering = false;
    this.#onChange(this.#failing.reason);
  }

  #group(lane: Lane, max: number): ConnectionGroup {
    return new ConnectionGroup({ alone: false, max, openAnother: () => void this.#open(lane) });
  }

  async #open(lane: Lane): Promise<void> {
    if (this.#opening.has(lane) || this.#refused.has(lane) || this.#isClosed) return;
    this.#opening.add(lane);
    try {
      const session = await connect(this.host, this.#target, false);
      const reason = this.#refusal(session.server);
      if (reason === undefined && !this.#isClosed) {
        this.#server = session.server;
        this.#lanes[lane].add(new Connection(session, 0));
        return;
      }
      void endSession(session);
      if (reason !== undefined) this.failed(reason);
    } catch (error) {
      this.#refused.add(lane);
      if (error instanceof SharedSession) this.#leave();
      // Without another connection it serves on those that it has, unless a pooler shares those too.
      if (this.#lanes[lane].isLost) this.failed(`it ${(error as Error).message}`);
    } finally {
      this.#opening.delete(lane);
    }
  }

  /** Why a server cannot help, by what it says of itself. */
  #refusal(server: ServerInfo): string | undefined {
    const foreign = this.#foreign(server);
    if (foreign !== undefined) return `it ${foreign}`;
    const { standby, holdsStore } = server;
    if (!standby) return "it is not a standby";
    // While a dump is restored, its logs may be there before what they tell of.
    if (!holdsStore) return "it does not hold the whole store yet";
    return undefined;
  }
}
