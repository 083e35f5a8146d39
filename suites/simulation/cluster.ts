import type { VirtualClock } from "./clock.ts";
import { type Contents, copiedStore } from "./contents.ts";
import { Network } from "./network.ts";
import type { Random } from "./random.ts";
import { SimulatedServer } from "./server.ts";

/** Three PostgreSQL servers, what happens to them, and what is true at each moment: what their primary shows. */
export class Cluster {
  readonly network: Network;
  readonly servers: readonly SimulatedServer[];
  /** What the primary has shown, and since when. */
  readonly truth: { readonly since: number; readonly contents: Contents }[] = [];
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #note: (what: string) => void;
  #primary: SimulatedServer;

  /** @param note receives what happens, for the history */
  constructor(clock: VirtualClock, random: Random, note: (what: string) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#note = note;
    const log = [copiedStore("ours")];
    this.servers = ["a", "b", "c"].map((name, at) => new SimulatedServer(name, log, at > 0));
    this.#primary = this.servers[0] as SimulatedServer;
    this.network = new Network(clock, random, this.servers);
    this.#showTruth();
  }

  /** Commits a change. A standby may replay it before the primary shows it, as with synchronous replication. */
  write(): void {
    const primary = this.#primary;
    const { log } = primary;
    const last = log.at(-1) as Contents;
    const token = 1 + this.#random.below(2 ** 30);
    const kind = this.#random.pick(["append", "append", "rewrite", "key"]);
    if (kind === "append") log.push({ ...last, appends: [...last.appends, token] });
    else if (kind === "rewrite") log.push({ ...last, rewrites: [...last.rewrites, token] });
    else log.push({ ...last, keysRevision: last.keysRevision + 1, isKeyValid: !last.isKeyValid });
    this.#note(`${primary.name} commits: ${kind} ${kind === "key" ? "" : token}`);
    const at = log.length - 1;
    const show = () => {
      if (this.#primary !== primary || primary.log !== log || primary.shown >= at) return;
      primary.shown = at;
      this.#showTruth();
    };
    this.#clock.at(this.#clock.now + this.#random.between(0, 30), show);
    for (const standby of this.servers.filter((one) => one !== primary)) this.#replay(standby, at);
  }

  /** One standby replays nothing for a while. */
  delayStandby(): void {
    const standby = this.#random.pick(this.#standbys());
    if (!standby) return;
    standby.pausedUntil = this.#clock.now + this.#random.between(100, 5000);
    this.#note(`${standby.name} pauses its replay until ${Math.round(standby.pausedUntil)}`);
  }

  /** Another store is at a standby's address. */
  replaceStore(): void {
    const standby = this.#random.pick(this.#standbys());
    if (!standby) return;
    this.network.cut(standby, 0);
    standby.log = [copiedStore("foreign")];
    standby.shown = 0;
    standby.starts++;
    this.#note(`${standby.name} holds another store`);
  }

  /** A standby is rebuilt from the primary. */
  rebuildStandby(): void {
    const standby = this.#random.pick(this.#standbys());
    if (!standby) return;
    this.network.cut(standby, 0.5);
    standby.log = this.#primary.log;
    standby.shown = this.#primary.shown;
    standby.timeline = this.#primary.timeline;
    standby.starts++;
    this.#note(`${standby.name} is rebuilt from ${this.#primary.name}`);
  }

  /** The primary's machine is restored from a snapshot: it goes on from an earlier version, on the same timeline. */
  restorePrimary(): void {
    const primary = this.#primary;
    this.network.cut(primary, 0.7);
    primary.shown = Math.max(0, primary.shown - this.#random.below(6));
    primary.log = primary.log.slice(0, primary.shown + 1);
    primary.starts++;
    this.#showTruth();
    this.#note(`${primary.name} goes on from ${describe(primary.contents)}`);
  }

  /** The primary's machine ends, a standby is promoted, and later the old primary returns as a standby. */
  promote(): void {
    const old = this.#primary;
    const next = this.#random.pick(this.#standbys().filter(({ contents }) => contents.store === "ours"));
    if (!next) return;
    this.network.cut(old, 0.5);
    old.isUp = false;
    next.isStandby = false;
    next.timeline = old.timeline + 1;
    next.log = next.log.slice(0, next.shown + 1);
    this.#primary = next;
    this.#showTruth();
    this.#note(`${old.name} is gone, ${next.name} is promoted with ${describe(next.contents)}`);
    this.#clock.at(this.#clock.now + this.#random.between(200, 4000), () => {
      old.isUp = true;
      old.isStandby = true;
      old.starts++;
      old.timeline = this.#primary.timeline;
      old.log = this.#primary.log;
      old.shown = this.#primary.shown;
      this.#note(`${old.name} returns as a standby`);
    });
  }

  #standbys(): SimulatedServer[] {
    return this.servers.filter((one) => one !== this.#primary && one.isUp);
  }

  #replay(standby: SimulatedServer, at: number): void {
    const { log } = this.#primary;
    const due = Math.max(standby.pausedUntil, this.#clock.now + this.#random.between(0, 20));
    this.#clock.at(due, () => {
      if (standby.log !== log || !standby.isStandby) return;
      if (standby.pausedUntil > this.#clock.now) this.#replay(standby, at);
      else standby.shown = Math.max(standby.shown, at);
    });
  }

  #showTruth(): void {
    this.truth.push({ since: this.#clock.now, contents: this.#primary.contents });
  }
}

function describe({ appends, rewrites, keysRevision }: Contents): string {
  return `${appends.length} appends, ${rewrites.length} rewrites, keys ${keysRevision}`;
}
