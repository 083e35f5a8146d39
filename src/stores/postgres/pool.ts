import { SQL } from "bun";
import { StoreFailure } from "../../domain/failure.ts";
import { translate } from "./errors.ts";

const CONNECTIONS_MAX = 10;
/** How long a statement may take, waiting for a connection included. */
const DEADLINE_MS = 1500;

/** A statement under way. */
type Query<Result> = PromiseLike<Result>;

/**
 * Connections to one PostgreSQL. The client library waits without end for a connection and for an
 * answer, so each statement has a deadline here; a pool that missed one is given up for a new one.
 */
export class Pool {
  readonly #url: string;
  #sql: SQL;

  constructor(url: string) {
    this.#url = url;
    this.#sql = this.#open();
  }

  /**
   * Runs one statement.
   *
   * @throws StoreFailure when it cannot be answered now; whether a change was made is then not known
   */
  async run<Result>(start: (sql: SQL) => Query<Result>): Promise<Result> {
    const sql = this.#sql;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#giveUp(sql);
      reject(new StoreFailure("store_unavailable", `PostgreSQL took longer than ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    try {
      return await Promise.race([start(sql), late]);
    } catch (error) {
      throw translate(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: DEADLINE_MS / 1000 });
  }

  #open(): SQL {
    return new SQL({ url: this.#url, bigint: true, max: CONNECTIONS_MAX });
  }

  #giveUp(sql: SQL): void {
    if (sql !== this.#sql) return;
    this.#sql = this.#open();
    sql.close({ timeout: 0 }).catch(() => {});
  }
}
