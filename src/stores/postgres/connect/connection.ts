import type { SQL } from "bun";
import { ConnectionLost, isConnectionLost, translate } from "../errors.ts";
import type { Session } from "./server.ts";

/**
 * A statement, or several that belong together.
 *
 * @param epoch which of the servers that were found, one after the other, this is
 * @param process the number of the server's process that does it
 */
export type Work<Result> = (sql: SQL, epoch: number, process: number) => PromiseLike<Result>;

const LOST = "the connection to PostgreSQL was lost";

interface UnderWay {
  /** By the monotonic clock, in milliseconds. */
  readonly due: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * One connection. Statements are sent as they arrive and answered in their order, without waiting for each
 * other: statements sent together travel together.
 *
 * The client library waits for an answer without limit and reopens a lost connection by itself. So each
 * statement has a deadline here, and a connection that was lost or given up is never used again.
 */
export class Connection {
  readonly #sql: SQL;
  readonly #epoch: number;
  readonly #process: number;
  /** In the order in which they began. */
  readonly #underWay = new Set<UnderWay>();
  #state: "open" | "taken" | "leaving" | "ended" = "open";

  /**
   * @param epoch see `Work`
   */
  constructor({ sql, server, lost }: Session, epoch: number) {
    this.#sql = sql;
    this.#process = server.process;
    this.#epoch = epoch;
    void lost.then(() => this.end(LOST));
  }

  /** Whether a statement may be sent beside those of others. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Whether it is gone, or may go since nobody waits for it any more. */
  get isDone(): boolean {
    return this.#state === "ended" || (this.#state === "leaving" && this.load === 0);
  }

  /** How many statements are under way. */
  get load(): number {
    return this.#underWay.size;
  }

  /**
   * @param due by the monotonic clock, in milliseconds
   * @throws StoreFailure where it was not answered; whether a change was made is then not known
   */
  run<Result>(work: Work<Result>, due: number): Promise<Result> {
    return new Promise((resolve, reject) => {
      const statement: UnderWay = { due, reject };
      this.#underWay.add(statement);
      work(this.#sql, this.#epoch, this.#process).then(
        (result) => {
          this.#underWay.delete(statement);
          resolve(result);
        },
        (error) => {
          this.#underWay.delete(statement);
          reject(translate(error));
          if (isConnectionLost(error)) this.end(LOST);
        },
      );
    });
  }

  /** Runs what nothing may come between, such as a transaction. */
  async runAlone<Result>(work: Work<Result>, due: number): Promise<Result> {
    this.#state = "taken";
    try {
      return await this.run(work, due);
    } finally {
      if (this.#state === "taken") this.#state = "open";
    }
  }

  /** Whether something is not answered that should have been by now. */
  isOverdue(now: number): boolean {
    for (const { due } of this.#underWay) if (due <= now) return true;
    return false;
  }

  /** Takes no more; what is under way comes to its end. */
  leave(): void {
    if (this.#state !== "ended") this.#state = "leaving";
    if (this.isDone) this.end("");
  }

  /** Cuts it off, and with it what is under way. */
  end(reason: string): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#sql.close({ timeout: 0 }).catch(() => {});
    for (const { reject } of this.#underWay) reject(new ConnectionLost(reason));
    this.#underWay.clear();
  }
}
