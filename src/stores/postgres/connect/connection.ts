import type { SQL } from "bun";
import { ConnectionLost, isForbidden, translate } from "../errors.ts";
import { isRoleGone } from "./role-gone.ts";
import type { Session } from "./server.ts";

/**
 * A statement, or several that belong together.
 *
 * @param epoch the epoch of the server: see `Revision`
 * @param process the id of the server process that runs it
 */
export type Work<Result> = (sql: SQL, epoch: number, process: number) => PromiseLike<Result>;

const LOST = "the connection to PostgreSQL was lost";

interface UnderWay {
  /** The deadline by the monotonic clock, in milliseconds. */
  readonly due: number;
  readonly reject: (reason: unknown) => void;
}

/**
 * One connection with pipelining: statements are sent as they arrive, without waiting for earlier answers, and answered in
 * order. Statements that are sent together travel in one packet.
 *
 * The client library waits for answers without a limit, and reopens a lost connection by itself. So each statement has a
 * deadline here, and a connection that was lost or given up is never used again.
 */
export class Connection {
  readonly #sql: SQL;
  readonly #epoch: number;
  readonly #process: number;
  /** In the order in which they started. */
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

  /** Whether the connection accepts statements. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Whether the connection has ended, or can end because nothing runs on it any more. */
  get isDone(): boolean {
    return this.#state === "ended" || (this.#state === "leaving" && this.load === 0);
  }

  /** The number of running statements. */
  get load(): number {
    return this.#underWay.size;
  }

  /**
   * @param due the deadline by the monotonic clock, in milliseconds
   * @throws StoreFailure if it was not answered; whether a change was made is then unknown
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
          const reason = translate(error);
          reject(reason);
          if (reason instanceof ConnectionLost) this.end(LOST);
          else if (isForbidden(error)) void this.#endIfRoleIsGone();
        },
      );
    });
  }

  /** Runs work on the connection exclusively, for example a transaction. */
  async runAlone<Result>(work: Work<Result>, due: number): Promise<Result> {
    this.#state = "taken";
    try {
      return await this.run(work, due);
    } finally {
      if (this.#state === "taken") this.#state = "open";
    }
  }

  async #endIfRoleIsGone(): Promise<void> {
    if (await isRoleGone(this.#sql)) this.end(LOST);
  }

  /** Whether a statement has missed its deadline. */
  isOverdue(now: number): boolean {
    for (const { due } of this.#underWay) if (due <= now) return true;
    return false;
  }

  /** Accepts no more statements, and ends once the running ones are done. */
  leave(): void {
    if (this.#state !== "ended") this.#state = "leaving";
    if (this.isDone) this.end("");
  }

  /** Ends the connection at once. Running statements reject. */
  end(reason: string): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#sql.close({ timeout: 0 }).catch(() => {});
    for (const { reject } of this.#underWay) reject(new ConnectionLost(reason));
    this.#underWay.clear();
  }
}
