import type { ObservationSink } from "../../../observations/observation.ts";
import { Heartbeat } from "../../../system/heartbeat.ts";
import { findWait } from "../connect/lock-holders.ts";
import { LockWait } from "../connect/lock-wait.ts";
import { openSession } from "../connect/open-pool.ts";
import { NoPrimary } from "../connect/primary.ts";
import { endSession, type Session } from "../connect/server.ts";

/**
 * Checks, on a second connection, that a server is alive and still works on a long statement. A server that froze or was cut
 * off leaves the first connection open and stays silent.
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
   * @param process the id of the server process that runs the statement
   * @param emit receives an event if that process waits for a lock
   */
  constructor(url: string, process: number, emit: ObservationSink) {
    this.#lockWait = new LockWait("this command", emit);
    this.#url = url;
    this.#process = process;
  }

  /**
   * Watches until the result is disposed of.
   *
   * @param gone called when the server has been silent for too long, or no longer has the process
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
    if (this.#session) await endSession(this.#session);
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
      this.#lockWait.report();
    } catch (error) {
      // A server without a free connection has answered too. After any other failure the next heartbeat asks again.
      const { cause } = error as Error;
      if (cause instanceof NoPrimary && cause.transient) this.#heartbeat?.answered();
    } finally {
      this.#asking = false;
    }
  }

  async #connect(): Promise<Session> {
    const session = await openSession(this.#url);
    if (this.#closed) void endSession(session);
    void session.lost.then(() => {
      this.#session = undefined;
    });
    return session;
  }
}
