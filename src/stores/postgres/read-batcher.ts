import type { Revision } from "../../domain/revision.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import type { Turn } from "../read-turn.ts";
import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";
import { isRoleGone } from "./connect/role-gone.ts";
import { ConnectionLost, isConnectionLost, isForbidden, isStoreGone, translate } from "./errors.ts";
import { ShownMarks } from "./shown-marks.ts";
import type { MarkedRevision } from "./standbys/marks.ts";
import type { Lane } from "./standbys/standby.ts";
import type { AskedTurn, StandbyReads, StandbyRule } from "./standbys/standby-reads.ts";

const NONE: ReadonlySet<never> = new Set();

/** A turn, without a revision as long as nothing needs it. */
interface NextTurn {
  revision: Promise<MarkedRevision> | undefined;
  mayBeLater: boolean;
}

function newTurn(): NextTurn {
  return { revision: undefined, mayBeLater: false };
}

interface Read {
  readonly work: Work<unknown>;
  /** Absent: only the primary answers it. */
  readonly rule: StandbyRule<never> | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Combines all reads of one turn of the event loop into one packet, in their order. The server takes a later snapshot for
 * each later statement, so a read that follows the revision is never older than it. All requests of a turn share one
 * revision.
 *
 * Reads of operations that are not stable form a second packet, on a connection of their own kind: while one of their tables
 * is locked, they hold up no stable operation. That packet leaves once the turn's revision is known, for the same order.
 *
 * Where standbys are read from, the reads that they may answer leave for one of them, at the same time as the revision's packet.
 */
export class ReadBatcher {
  readonly #pool: Pool;
  readonly #standbys: StandbyReads | undefined;
  readonly #shown: ShownMarks;
  #next: Read[] = [];
  #nextApart: Read[] = [];
  /** Whether `together` is collecting reads. */
  #collecting = false;
  #turn = newTurn();

  /** @param emit see `ShownMarks` */
  constructor(pool: Pool, emit: ObservationSink, standbys?: StandbyReads) {
    this.#pool = pool;
    this.#standbys = standbys;
    this.#shown = new ShownMarks(pool, emit, (revision) => standbys?.note(revision));
  }

  /**
   * @param rule under which a standby may answer it; without one, only the primary does
   * @throws StoreFailure if it gets no answer in time
   */
  run<Result>(work: Work<Result>, rule?: StandbyRule<Result>): Promise<Result> {
    return this.#add(() => this.#next, work, rule);
  }

  /**
   * Runs a read of an operation that is not stable.
   *
   * @param rule under which a standby may answer it; without one, only the primary does
   * @throws StoreFailure if it gets no answer in time
   */
  runApart<Result>(work: Work<Result>, rule?: StandbyRule<Result>): Promise<Result> {
    return this.#add(() => this.#nextApart, work, rule);
  }

  /** Sends all reads of `work`, together with earlier ones, as soon as `work` returns or throws. */
  together<Result>(work: (revision: Promise<Revision>, turn: Turn) => Result): Result {
    this.#collecting = true;
    try {
      return work(this.revision(), this.#turn);
    } finally {
      this.#collecting = false;
      this.#send();
    }
  }

  revision(): Promise<MarkedRevision> {
    this.#turn.revision ??= this.run(this.#shown.readRevision);
    return this.#turn.revision;
  }

  #add<Result>(reads: () => Read[], work: Work<Result>, rule?: StandbyRule<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const isFirst = this.#next.length === 0 && this.#nextApart.length === 0;
      if (isFirst && !this.#collecting) setImmediate(() => this.#send());
      reads().push({ work, rule, resolve, reject });
    });
  }

  #send(): void {
    const onStandby = this.#takeable("stable", this.#next);
    const onStandbyApart = this.#takeable("apart", this.#nextApart);
    const asked = onStandby.size + onStandbyApart.size > 0 ? this.#askedTurn() : undefined;
    const [reads, apart, { revision }] = [this.#next, this.#nextApart, this.#turn];
    this.#next = [];
    this.#nextApart = [];
    this.#turn = newTurn();
    const send = (reads: readonly Read[]) => void settle(reads, (all) => this.#pool.read(all));
    const sendApart = (reads: readonly Read[]) => void settle(reads, (all) => this.#readApart(all, revision));
    this.#sendEach("stable", reads, onStandby, asked, send);
    this.#sendEach("apart", apart, onStandbyApart, asked, sendApart);
  }

  /** The reads that a standby is asked for; none if none can be asked. */
  #takeable(lane: Lane, reads: readonly Read[]): ReadonlySet<Read> {
    if (!this.#standbys) return NONE;
    const allowed = reads.filter(({ rule }) => rule);
    return allowed.length > 0 && this.#standbys.canTake(lane, allowed.length) ? new Set(allowed) : NONE;
  }

  /** This turn, once the primary is asked for its revision. */
  #askedTurn(): AskedTurn {
    return Object.assign(this.#turn, { revision: this.revision() });
  }

  #sendEach(
    lane: Lane,
    reads: readonly Read[],
    onStandby: ReadonlySet<Read>,
    asked: AskedTurn | undefined,
    send: (reads: readonly Read[]) => void,
  ): void {
    const onPrimary = onStandby.size === 0 ? reads : reads.filter((read) => !onStandby.has(read));
    if (onPrimary.length > 0) send(onPrimary);
    if (asked && onStandby.size > 0) void this.#standbys?.settle(lane, [...onStandby], asked, send);
  }

  async #readApart(all: Work<unknown>, revision: Promise<Revision> | undefined): Promise<void> {
    await revision;
    await this.#pool.readApart(all);
  }
}

/** Sends reads in one packet, and settles each. */
async function settle(reads: readonly Read[], send: (all: Work<unknown>) => Promise<unknown>): Promise<void> {
  try {
    await send((...on) => Promise.all(reads.map((read) => start(read, on))));
  } catch (error) {
    for (const { reject } of reads) reject(error);
  }
}

/** Settles one read. Rejects only with what the pool must know: it repeats all of them, or searches for the store. */
async function start({ work, resolve, reject }: Read, on: Parameters<Work<unknown>>): Promise<void> {
  try {
    resolve((await work(...on)) as never);
  } catch (error) {
    if (isConnectionLost(error) || isStoreGone(error)) throw error;
    if (isForbidden(error) && (await isRoleGone(on[0]))) {
      throw new ConnectionLost("the role of the connection to PostgreSQL was dropped", { cause: error });
    }
    reject(translate(error));
  }
}
