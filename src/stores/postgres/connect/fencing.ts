import { StoreFailure } from "../../../domain/failure.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import { foreignCluster } from "./cluster.ts";
import type { Work } from "./connection.ts";
import { OtherServers } from "./other-servers.ts";
import { parseLsn } from "./position.ts";
import { nameOf } from "./primary.ts";
import { Refused } from "./refused.ts";
import type { Target } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
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
  /** Receives an event when one of the servers turns out to be of another cluster, or the one in use. */
  readonly emit: ObservationSink;
}

/**
 * Fencing: no commit of a replaced primary is acknowledged. Every promotion of a standby starts a new timeline. A replaced
 * primary that waits for no standby keeps committing, so after each commit the other servers of the URL are asked, and none
 * of those that answer may be on a later timeline.
 */
export class Fencing {
  readonly #options: FencingOptions;
  readonly #others: OtherServers;
  /** Whether the URL names one server only, so that there is nobody to ask. */
  readonly #isAlone: boolean;
  #timeline = 0;
  #cluster: string | undefined;
  #inUse: ServerInfo | undefined;
  /** Why each server was refused when it was connected last, if it was. */
  readonly #reported = new Map<Host, string | undefined>();

  constructor(target: Target, options: FencingOptions) {
    this.#options = options;
    this.#isAlone = target.hosts.length === 1;
    this.#others = new OtherServers(
      target,
      ({ timeline }) => this.#note(timeline),
      (host, server) => this.#refuses(host, server),
    );
  }

  /** The cluster of the first server in use: where a URL names several servers, all are of the same. */
  get cluster(): string | undefined {
    return this.#cluster;
  }

  /** Notes a server in use, and its cluster. */
  belongsTo(server: ServerInfo): void {
    this.#inUse = server;
    if (!this.#isAlone) this.#cluster ??= server.cluster;
  }

  /** Why a server must not be asked besides the one in use: it is of another cluster, or the same under another name. */
  foreign(server: ServerInfo): Refused | undefined {
    const foreign = foreignCluster(server, this.#cluster);
    if (foreign) return foreign;
    const { began, database } = this.#inUse ?? {};
    const isSame = !server.standby && server.began === began && server.database === database;
    return isSame
      ? new Refused("is the server in use, under another name; name each server once")
      : undefined;
  }

  /** The latest timeline that any server has reported. A server on an earlier timeline was replaced. */
  get timeline(): number {
    return this.#timeline;
  }

  /** Records a timeline that was found while no server was in use. */
  raise(timeline: number): void {
    this.#timeline = Math.max(this.#timeline, timeline);
  }

  /** Watches the servers other than the one in use. */
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
    if (!this.#isAlone) await this.#askOthers(tookMs);
    if (timeline >= this.#timeline) return;
    throw new StoreFailure(
      "store_unavailable",
      "another PostgreSQL was promoted while this one was written to",
    );
  }

  async #askOthers(tookMs: number): Promise<void> {
    if (tookMs > SLOW_COMMIT_MS) await this.#assertReceived();
    for (const position of await this.#others.positions()) this.#note(position.timeline);
  }

  /** If commits wait for standbys, one of the other servers that the URL names must have received the commit. */
  async #assertReceived(): Promise<void> {
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

  /** Whether one of the other servers must not be asked. The log says so once. */
  #refuses(host: Host, server: ServerInfo): boolean {
    const reason = this.foreign(server)?.message;
    if (reason !== undefined && reason !== this.#reported.get(host)) {
      this.#options.emit({ event: "database_server_foreign", host: nameOf(host), reason });
    }
    this.#reported.set(host, reason);
    return reason !== undefined;
  }

  #note(timeline: number): void {
    if (timeline <= this.#timeline) return;
    this.#timeline = timeline;
    this.#options.onReplaced();
  }
}
