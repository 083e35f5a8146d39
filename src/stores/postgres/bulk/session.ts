import type { SQL } from "bun";
import type { MaybePromise } from "../../../domain/maybe-promise.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import { closeOnRejection } from "../../close-on-failure.ts";
import { openSession } from "../connect/open-pool.ts";
import { endSession, type Session } from "../connect/server.ts";
import { setUpBulkStatement } from "../connect/session-settings.ts";
import { ConnectionLost, isConnectionLost, translate } from "../errors.ts";
import { LivenessProbe } from "./liveness-probe.ts";

const ENDED = "PostgreSQL ended the connection";

/**
 * One connection for bulk work, without deadlines. Work fails only if the connection ends, or if the server has been silent
 * for some seconds.
 */
export class BulkSession {
  readonly #url: string;
  readonly #session: Session;
  readonly #livenessProbe: LivenessProbe;
  readonly #lost = Promise.withResolvers<never>();
  #isLost = false;

  private constructor(url: string, session: Session, emit: ObservationSink) {
    this.#url = url;
    this.#session = session;
    this.#livenessProbe = new LivenessProbe(url, session.server.process, emit);
    void session.lost.then(() => this.#end(ENDED));
    // If nothing is running, nobody needs to know.
    this.#lost.promise.catch(() => {});
  }

  /**
   * @param emit receives an event if the work has to wait for others
   * @throws UnusableStore
   */
  static async open(url: string, emit: ObservationSink = () => {}): Promise<BulkSession> {
    const session = new BulkSession(url, await openSession(url), emit);
    await closeOnRejection(session, () => session.rows(setUpBulkStatement()));
    return session;
  }

  /**
   * @param work one statement
   * @throws StoreFailure if the server cannot carry it out now
   */
  async run<Result>(work: (sql: SQL) => PromiseLike<Result>): Promise<Result> {
    using _ = this.#livenessProbe.watch((why) => this.#end(why));
    try {
      // The library would open another connection, and run a statement there outside of its transaction.
      if (this.#isLost) return await this.#lost.promise;
      return await Promise.race([work(this.#session.sql), this.#lost.promise]);
    } catch (error) {
      throw isConnectionLost(error) ? lost(ENDED, error) : translate(error);
    }
  }

  /** Runs one statement as `run` does. Its parameters are `$1`, `$2` and so on. */
  rows<Row>(text: string, parameters?: unknown[]): Promise<Row[]> {
    return this.run<Row[]>((sql) => sql.unsafe(text, parameters));
  }

  /** Runs work as one transaction. All its statements go through `run`. */
  async transaction<Result>(work: () => MaybePromise<Result>): Promise<Result> {
    await this.rows("BEGIN");
    try {
      const result = await work();
      await this.rows("COMMIT");
      await this.#assertNotReplaced();
      return result;
    } catch (error) {
      await this.rows("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  /** A replaced primary that waits for no standby keeps committing. So the other servers are asked after the commit. */
  async #assertNotReplaced(): Promise<void> {
    const other = await openSession(this.#url);
    void endSession(other);
    if (other.server.timeline > this.#session.server.timeline)
      throw new ConnectionLost("another PostgreSQL was promoted meanwhile; run the same command again.");
  }

  async close(): Promise<void> {
    await this.#livenessProbe.close();
    await endSession(this.#session);
  }

  #end(why: string): void {
    this.#isLost = true;
    this.#lost.reject(lost(why));
    void endSession(this.#session);
  }
}

function lost(why: string, cause?: unknown): ConnectionLost {
  return new ConnectionLost(`${why}; when it is back, run the same command again.`, { cause });
}
