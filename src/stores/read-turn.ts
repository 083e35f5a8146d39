import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Revision } from "../domain/revision.ts";
import type { DatedReply } from "../domain/store.ts";

/**
 * The most reads in one turn: enough to share its cost, and few enough that none waits long for the others. The 64
 * largest pages take some 15 MB until they are rendered.
 */
const TURN_MAX = 64;
/** A turn begins reads for at most this long; the rest wait for the next. Reads from a cold disk may be slow. */
const TURN_MAX_MS = 5;
/** A turn with more reads than this is busy. */
const FEW = 4;
/** While turns are not busy, one read in this many has its turn measured: noticing the end of a turn costs a system call. */
const MEASURE_EVERY = 16;
/** After this many turns in a row with few reads, turns are no longer busy. */
const QUIET_TURNS = 8;

/** What becomes known of a turn while its reads are answered. */
export type Turn = Pick<DatedReply<unknown>, "mayBeLater">;

const EXACT: Turn = { mayBeLater: false };

/** Combines all reads that `work` begins. They are not older than the revision that it receives. */
type Together = <Result>(work: (revision: MaybePromise<Revision>, turn?: Turn) => Result) => Result;

type Work = () => unknown;

interface Waiting {
  readonly work: Work;
  readonly resolve: (reply: DatedReply<unknown>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects the reads of one turn of the event loop, and begins them together at its end. They share the cost of beginning
 * a read transaction, and of waking the store's client.
 *
 * While few reads arrive in a turn, they have nothing to share, and an engine that replies at once does each at once.
 * Clients that pipeline need that: the runtime closes a connection on which a request arrives while another one waits.
 */
export class ReadTurn {
  readonly #together: Together;
  readonly #repliesAtOnce: boolean;
  readonly #clock: () => number;
  #waiting: Waiting[] = [];
  /** The reads of this turn that others may share, by name. */
  readonly #shared = new Map<string, Promise<DatedReply<unknown>>>();
  #isBusy: boolean;
  #quietTurns = QUIET_TURNS;
  /** Whether the end of this turn is awaited. */
  #isMeasured = false;
  /** Reads in this turn if it is measured, else reads since the last turn that was. */
  #count = 0;

  /**
   * @param repliesAtOnce whether a read need not wait for a turn
   * @param clock milliseconds, monotonic
   */
  constructor(together: Together, repliesAtOnce: boolean, clock = () => performance.now()) {
    this.#clock = clock;
    this.#together = together;
    this.#repliesAtOnce = repliesAtOnce;
    this.#isBusy = !repliesAtOnce;
  }

  /** As `Store.read`. */
  read<Reply>(work: () => MaybePromise<Reply>, sharedAs?: string): MaybePromise<DatedReply<Reply>>;
  read(work: Work, sharedAs?: string): MaybePromise<DatedReply<unknown>> {
    this.#count++;
    if (!this.#isMeasured && (this.#isBusy || this.#count === MEASURE_EVERY)) this.#measure();
    if (!this.#isBusy) return this.#together((revision, turn) => dated(work(), revision, turn));
    return (sharedAs !== undefined && this.#shared.get(sharedAs)) || this.#enqueue(work, sharedAs);
  }

  #enqueue(work: Work, sharedAs: string | undefined): Promise<DatedReply<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<DatedReply<unknown>>();
    if (sharedAs !== undefined) this.#shared.set(sharedAs, promise);
    this.#waiting.push({ work, resolve, reject });
    if (this.#waiting.length === TURN_MAX) this.#beginAll();
    return promise;
  }

  #measure(): void {
    this.#isMeasured = true;
    this.#count = 1;
    setImmediate(() => {
      this.#quietTurns = this.#count > FEW ? 0 : this.#quietTurns + 1;
      this.#isBusy = !this.#repliesAtOnce || this.#quietTurns < QUIET_TURNS;
      this.#isMeasured = false;
      this.#count = 0;
      this.#beginAll();
    });
  }

  /** Begins what waits. An exception rejects its own read alone. */
  #beginAll(): void {
    const reads = this.#waiting;
    if (reads.length === 0) return;
    this.#waiting = [];
    this.#shared.clear();
    const due = this.#clock() + TURN_MAX_MS;
    let begun = 0;
    try {
      this.#together((revision, turn) => {
        // Each read reports it if the revision rejects, unless the read itself has rejected before.
        if (revision instanceof Promise) revision.catch(() => {});
        do begin(reads[begun++] as Waiting, revision, turn);
        while (begun < reads.length && this.#clock() < due);
      });
    } catch (error) {
      // An engine that refuses a whole turn would refuse its reads in the next turn too.
      for (const { reject } of reads) reject(error);
      return;
    }
    if (begun === reads.length) return;
    this.#waiting.unshift(...reads.slice(begun));
    if (!this.#isMeasured) this.#measure();
  }
}

function begin(
  { work, resolve, reject }: Waiting,
  revision: MaybePromise<Revision>,
  turn: Turn | undefined,
): void {
  try {
    const reply = dated(work(), revision, turn);
    if (reply instanceof Promise) reply.then(resolve, reject);
    else resolve(reply);
  } catch (error) {
    reject(error);
  }
}

function dated(
  reply: unknown,
  revision: MaybePromise<Revision>,
  turn = EXACT,
): MaybePromise<DatedReply<unknown>> {
  if (reply instanceof Promise || revision instanceof Promise) return datedLater(reply, revision, turn);
  return { reply, revision, mayBeLater: turn.mayBeLater };
}

/** Costs less than `Promise.all`. A turn's revision arrives before its replies. */
async function datedLater(
  reply: unknown,
  revision: MaybePromise<Revision>,
  turn: Turn,
): Promise<DatedReply<unknown>> {
  const arrived = reply instanceof Promise ? await reply : reply;
  return { reply: arrived, revision: await revision, mayBeLater: turn.mayBeLater };
}
