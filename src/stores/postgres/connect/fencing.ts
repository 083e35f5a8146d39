import { StoreFailure } from "../../../domain/failure.ts";
import type { Work } from "./connection.ts";
import { OtherServers } from "./other-servers.ts";
import { parseLsn } from "./position.ts";
import type { Target } from "./server.ts";
import type { Host } from "./url.ts";

/**
 * A commit that takes longer may have waited for a standby. An operator may have cancelled that wait, which PostgreSQL
 * reports as success.
 */
const SLOW_COMMIT_MS = 250;

interface FencingOptions {
  /** Reads from the server in use, until a time by the monotonic clock, in milliseconds. */
  readonly read: <Result>(work: Work<Result>, due: number) => Promise<Result>;
  /** How long a confirmation may take. */
  readonly deadlineMs: number;
  /** Called when a server reports a later timeline: the server in use was replaced. */
  readonly onReplaced: () => void;
}

/**
 * Fencing: no commit of a replaced primary is acknowledged. Every promotion of a standby starts a new timeline. A replaced
 * primary that waits for no standby keeps committing, so after each commit the other servers of the URL are asked, and none
 * of those that answer may be on a later timeline.
 */
export class Fencing {
  readonly #options: FencingOptions;
  readonly #others: OtherServers;
  #timeline = 0;

  constructor(target: Target, options: FencingOptions) {
    this.#options = options;
    this.#others = new OtherServers(target, ({ timeline }) => this.#note(timeline));
  }

  /** The latest timeline that any server has reported. A server on an earlier timeline was replaced. */
  get timeline(): number {
    return this.#timeline;
  }

  /** Records a timeline that was found while no server was in use. */
  raise(timeline: number): void {
    this.#timeline = Math.max(this.#timeline, timeline);
  }

  /** Watches the servers beside the one in use. */
  watch(inUse: Host): void {
    this.#others.watch(inUse);
  }

  stop(): void {
    this.#others.stop();
  }

  /**
   * Confirms a commit.
   *
   * @param timeline the latest timeline before the commit
   * @param tookMs the duration of the commit
   * @throws StoreFailure if the commit must not be acknowledged
   */
  async confirm(timeline: number, tookMs: number): Promise<void> {
    if (tookMs > SLOW_COMMIT_MS) await this.#assertReceived();
    for (const position of await this.#others.positions()) this.#note(position.timeline);
    if (timeline >= this.#timeline) return;
    throw new StoreFailure(
      "store_unavailable",
      "another PostgreSQL was promoted while this one was written to",
    );
  }

  /**
   * If commits wait for standbys, one of the other servers that the URL names must have received the commit. If the URL
   * names none, there is nobody to ask.
   */
  async #assertReceived(): Promise<void> {
    if (this.#others.count === 0) return;
    const due = performance.now() + this.#options.deadlineMs;
    const [row] = await this.#options
      .read<{ waits: boolean; lsn: string }[]>(
        (sql) => sql`SELECT current_setting('synchronous_standby_names') <> '' AS waits,
                            pg_current_wal_flush_lsn()::text AS lsn`,
        due,
      )
      .catch((error) => {
        // Some managed services have no such log.
        if (error instanceof StoreFailure) throw error;
        return [];
      });
    if (!row?.waits) return;
    if (await this.#others.haveReceived(parseLsn(row.lsn), due)) return;
    throw new StoreFailure("store_unavailable", "PostgreSQL has committed, and no standby has it");
  }

  #note(timeline: number): void {
    if (timeline <= this.#timeline) return;
    this.#timeline = timeline;
    this.#options.onReplaced();
  }
}
