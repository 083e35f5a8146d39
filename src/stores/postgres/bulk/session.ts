import type { SQL } from "bun";
import type { EventSink } from "../../../domain/event.ts";
import { openSession } from "../connect/open-pool.ts";
import type { Session } from "../connect/server.ts";
import { setUpBulkStatement } from "../connect/session-settings.ts";
import { ConnectionLost, isConnectionLost, translate } from "../errors.ts";
import { LivenessProbe } from "./liveness-probe.ts";

const ENDED = "PostgreSQL ended the connection";

/**
 * One connection for work on many animals, with no deadline: it may take as long as it takes, and ends
 * when the connection does, or the server has not been heard of for some seconds.
 */
export class BulkSession {
  readonly #url: string;
  readonly #session: Session;
  readonly #livenessProbe: LivenessProbe;
  readonly #lost = Promise.withResolvers<never>();
  #isLost = false;

  private constructor(url: string, session: Session, emit: EventSink) {
    this.#url = url;
    this.#session = session;
    this.#livenessProbe = new LivenessProbe(url, session.server.process, emit);
    void session.lost.then(() => this.#end(ENDED));
    // Where nothing is under way, nobody needs to know.
    this.#lost.promise.catch(() => {});
  }

  /**
   * @param emit told what its work waits for
   * @throws UnusableStore
   */
  static async open(url: string, emit: EventSink = () => {}): Promise<BulkSession> {
    const session = new BulkSession(url, await openSession(url), emit);
    await session.run((sql) => sql.unsafe(setUpBulkStatement()));
    return session;
  }

  /**
   * @param work one statement
   * @throws StoreFailure where the circumstances do not allow it
   */
  async run<Result>(work: (sql: SQL) => PromiseLike<Result>): Promise<Result> {
    using _ = this.#livenessProbe.watch((why) => this.#end(why));
    try {
      // The library would open another connection, and do there, alone, what belongs to a transaction.
      if (this.#isLost) return await this.#lost.promise;
      return await Promise.race([work(this.#session.sql), this.#lost.promise]);
    } catch (error) {
      throw isConnectionLost(error) ? lost(ENDED, error) : translate(error);
    }
  }

  /** Runs work as one transaction, on the connection that this is. */
  async transaction<Result>(begin: string, work: () => Promise<Result>): Promise<Result> {
    await this.run((sql) => sql.unsafe(begin));
    try {
      const result = await work();
      await this.run((sql) => sql.unsafe("COMMIT"));
      await this.#assertNotReplaced();
      return result;
    } catch (error) {
      await this.run((sql) => sql.unsafe("ROLLBACK")).catch(() => {});
      throw error;
    }
  }

  /** A primary that was replaced goes on committing, unless it waits for a standby: the others are asked, after that. */
  async #assertNotReplaced(): Promise<void> {
    const { server, sql } = await openSession(this.#url);
    sql.close({ timeout: 0 }).catch(() => {});
    if (server.timeline > this.#session.server.timeline)
      throw new ConnectionLost("another PostgreSQL was promoted meanwhile; run the same command again.");
  }

  async close(): Promise<void> {
    await this.#livenessProbe.close();
    await this.#session.sql.close({ timeout: 0 }).catch(() => {});
  }

  #end(why: string): void {
    this.#isLost = true;
    this.#lost.reject(lost(why));
    this.#session.sql.close({ timeout: 0 }).catch(() => {});
  }
}

function lost(why: string, cause?: unknown): ConnectionLost {
  return new ConnectionLost(`${why}; when it is back, run the same command again.`, { cause });
}
