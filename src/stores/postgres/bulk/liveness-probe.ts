import { Heartbeat } from "../../../async/heartbeat.ts";
import type { EventSink } from "../../../domain/event.ts";
import { findWait } from "../connect/lock-holders.ts";
import { LockWait } from "../connect/lock-wait.ts";
import { openSession } from "../connect/open-pool.ts";
import { NoPrimary } from "../connect/primary.ts";
import type { Session } from "../connect/server.ts";

/**
 * Asks a server on another connection, while something that may take long is waited for, whether it is there and
 * still at work for us. A server that froze or was cut off leaves the connection as it is, and says nothing.
 */
export class LivenessProbe {
  readonly #url: string;
  readonly #process: number;
  readonly #lockWait: LockWait;
  #session: Session | undefined;
  #asking = false;
  #heartbeat: Heartbeat | undefined;
  #closed = false;

  /**
   * @param process the number of the server's process whose work is waited for
   * @param emit told what that process waits for itself
   */
  constructor(url: string, process: number, emit: EventSink) {
    this.#lockWait = new LockWait("this command", emit);
    this.#url = url;
    this.#process = process;
  }

  /**
   * Watches until it is disposed of.
   *
   * @param gone called when the server has not answered for long, or does not know the process any more
   */
  watch(gone: (why: string) => void): Disposable {
    const heartbeat = new Heartbeat(
      () => {
        if (!this.#asking) void this.#ask();
      },
      (seconds) => gone(`PostgreSQL has not answered for ${seconds} s`),
    );
    this.#heartbeat = heartbeat;
    heartbeat.start();
    return { [Symbol.dispose]: () => heartbeat.stop() };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#session?.sql.close({ timeout: 0 }).catch(() => {});
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    try {
      this.#session ??= await this.#connect();
      const found = await this.#session.sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${this.#process}`;
      if (found.length > 0) this.#heartbeat?.answered();
      const wait = await findWait(this.#session.sql, this.#process);
      if (!wait) return;
      this.#lockWait.note(wait);
      this.#lockWait.tell();
    } catch (error) {
      // One that has no connection to spare has answered, too. Others are asked again in a moment.
      const { cause } = error as Error;
      if (cause instanceof NoPrimary && cause.transient) this.#heartbeat?.answered();
    } finally {
      this.#asking = false;
    }
  }

  async #connect(): Promise<Session> {
    const session = await openSession(this.#url);
    if (this.#closed) session.sql.close({ timeout: 0 }).catch(() => {});
    void session.lost.then(() => {
      this.#session = undefined;
    });
    return session;
  }
}
