import { nameOf } from "../connect/primary.ts";
import type { Target } from "../connect/server.ts";
import type { ServerInfo } from "../connect/server-info.ts";
import type { Host } from "../connect/url.ts";
import type { Marks } from "./marks.ts";
import { type Lane, Standby } from "./standby.ts";

/** How often each standby is measured, and connected again if necessary. */
const LOOK_EVERY_MS = 1000;

/** A standby is as fast as the fastest if it takes at most this many times as long, and this many milliseconds more. */
const EQUAL_TIMES = 2;
const EQUAL_MORE_MS = 1;

/** What standbys report. */
interface StandbyReports {
  /** Why a server must not be asked, if it is of another cluster, or the one in use. */
  foreign(server: ServerInfo): string | undefined;
  /** A standby begins to answer; or it stops, and why. */
  changed(host: Host, stopped: string | undefined): void;
  /** How far a standby has come: reported again and again while it answers. */
  looked(host: Host, marks: Marks): void;
}

/** The standbys among the servers of a URL: all but the one in use. */
export class Standbys {
  readonly #target: Target;
  readonly #deadlineMs: number;
  readonly #reports: StandbyReports;
  #standbys: readonly Standby[] = [];
  #timer: Timer | undefined;
  /** Whose turn it is among equals. */
  #turn = 0;

  /** @param deadlineMs how long a statement may take */
  constructor(target: Target, deadlineMs: number, reports: StandbyReports) {
    this.#target = target;
    this.#deadlineMs = deadlineMs;
    this.#reports = reports;
  }

  /** Uses all servers except the primary, until `stop`. */
  use(primary: Host): void {
    const before = new Map(this.#standbys.map((standby) => [standby.host, standby]));
    before.get(primary)?.close();
    this.#standbys = this.#target.hosts
      .filter((host) => host !== primary)
      .map((host) => before.get(host) ?? this.#standby(host));
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#look();
  }

  /** Whether a standby can be asked now. */
  canAnswer(lane: Lane): boolean {
    const now = performance.now();
    return this.#standbys.some((standby) => standby.isUsable(lane, now));
  }

  /**
   * The standby to ask: of the fastest, and those that are nearly as fast, the least busy one.
   *
   * @returns `undefined` if none can be asked now
   */
  choose(lane: Lane): Standby | undefined {
    const now = performance.now();
    const usable = this.#standbys.filter((standby) => standby.isUsable(lane, now));
    if (usable.length < 2) return usable[0];
    const fastest = Math.min(...usable.map(({ milliseconds }) => milliseconds));
    const limit = fastest * EQUAL_TIMES + EQUAL_MORE_MS;
    const equals = usable.filter(({ milliseconds }) => milliseconds <= limit);
    const first = this.#turn++ % equals.length;
    const inTurn = [...equals.slice(first), ...equals.slice(0, first)];
    return inTurn.reduce((best, standby) => (standby.load < best.load ? standby : best));
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const standby of this.#standbys) standby.close();
    this.#standbys = [];
  }

  #standby(host: Host): Standby {
    const foreign = (server: ServerInfo) => this.#reports.foreign(server) ?? this.#namedTwice(host, server);
    return new Standby(host, this.#target, this.#deadlineMs, foreign, (stopped) =>
      this.#reports.changed(host, stopped),
    );
  }

  /** Why a server must not be asked that an earlier name of the URL leads to as well. */
  #namedTwice(host: Host, { began, cluster }: ServerInfo): string | undefined {
    const at = this.#standbys.findIndex((standby) => standby.host === host);
    const same = this.#standbys
      .slice(0, at)
      .find(({ server }) => server?.began === began && server.cluster === cluster);
    return same && `is the standby at ${nameOf(same.host)}, under another name; name each server once`;
  }

  #look(): void {
    for (const standby of this.#standbys) {
      void standby.look().then((marks) => marks && this.#reports.looked(standby.host, marks));
    }
  }
}
