import type { SQL } from "bun";
import { ConnectionLost, translate } from "./errors.ts";
import { openSession } from "./open-pool.ts";
import type { Session } from "./server.ts";

/**
 * One connection for work on many animals, with no deadline: it may take as long as it takes, and ends
 * when the connection does.
 */
export class BulkSession {
  readonly #session: Session;
  readonly #lost: Promise<never>;
  #isLost = false;

  private constructor(session: Session) {
    this.#session = session;
    this.#lost = session.lost.then(() => {
      this.#isLost = true;
      throw new ConnectionLost("PostgreSQL ended the connection");
    });
    // Where nothing is under way, nobody needs to know.
    this.#lost.catch(() => {});
  }

  /** @throws UnusableStore */
  static async open(url: string): Promise<BulkSession> {
    const session = new BulkSession(await openSession(url));
    await session.run(
      (sql) => sql`SELECT set_config('statement_timeout', '0', false),
                          set_config('enable_seqscan', 'on', false),
                          set_config('idle_in_transaction_session_timeout', '0', false)`,
    );
    return session;
  }

  /**
   * @param work one statement
   * @throws StoreFailure where the circumstances do not allow it
   */
  async run<Result>(work: (sql: SQL) => PromiseLike<Result>): Promise<Result> {
    try {
      // The library would open another connection, and do there, alone, what belongs to a transaction.
      if (this.#isLost) return await this.#lost;
      return await Promise.race([work(this.#session.sql), this.#lost]);
    } catch (error) {
      throw translate(error);
    }
  }

  /** Runs work as one transaction, on the connection that this is. */
  async transaction<Result>(begin: string, work: () => Promise<Result>): Promise<Result> {
    await this.run((sql) => sql.unsafe(begin));
    try {
      const result = await work();
      await this.run((sql) => sql.unsafe("COMMIT"));
      return result;
    } catch (error) {
      await this.run((sql) => sql.unsafe("ROLLBACK")).catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#session.sql.close({ timeout: 0 }).catch(() => {});
  }
}
