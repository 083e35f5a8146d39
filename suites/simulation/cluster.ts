import type { EventRow } from "../../src/stores/postgres/event-row.ts";
import type { VirtualClock } from "./clock.ts";
import {
  type Contents,
  copiedStore,
  describeEvent,
  type StoredKey,
  withAnimals,
  withKey,
  withName,
} from "./contents.ts";
import { Network } from "./network.ts";
import type { Random } from "./random.ts";
import { SimulatedServer } from "./server.ts";
import { ALL_LOCKS } from "./statements.ts";

/** What may happen to the servers, as methods of `Cluster`. */
export type Fault =
  | "delayStandby"
  | "isolateStandby"
  | "isolateStandbys"
  | "replaceStore"
  | "replaceCluster"
  | "rebuildStandby"
  | "restartPrimary"
  | "stopPrimary"
  | "restorePrimary"
  | "restoreKeys"
  | "restoreCreates"
  | "restoreSeen"
  | "resumeSeen"
  | "resumeAsked"
  | "resumeRead"
  | "restoreRows"
  | "restoreDump"
  | "promote"
  | "split"
  | "cancelWait"
  | "slowDisk"
  | "loseConnections";

export interface ClusterOptions {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** The animals of the store at the beginning, and its keys. */
  readonly animals: number;
  readonly keys: readonly StoredKey[];
  /** Whether commits wait for a standby. */
  readonly waits: boolean;
  /** Whether instances record events. */
  readonly records: boolean;
  /** Receives what happens, for the history. */
  readonly note: (what: string) => void;
}

interface Waiting {
  readonly server: SimulatedServer;
  readonly at: number;
  readonly since: number;
  readonly resolve: () => void;
}

/** Three PostgreSQL servers, what happens to them, and what is true at each moment: what their primary shows. */
export class Cluster {
  readonly network: Network;
  readonly servers: readonly SimulatedServer[];
  /** What the primary has shown, and since when. */
  readonly truth: { readonly since: number; readonly contents: Contents }[] = [];
  /** A primary that was replaced and goes on: what it has shown since, and until when the instances must have left it. */
  replaced:
    | { readonly server: SimulatedServer; readonly until: number; readonly shown: Contents[] }
    | undefined;
  /** When the primary went on from a snapshot last: what was acknowledged before may be gone. */
  restoredAt = Number.NEGATIVE_INFINITY;
  readonly #options: ClusterOptions;
  #primary: SimulatedServer;
  /** Until when nothing else happens. */
  #quietUntil = 0;
  #waiting: Waiting[] = [];
  readonly #events = new Set<string>();

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { clock, random, animals, keys, waits, records } = options;
    const log = [copiedStore("ours", animals, keys)];
    const around = {
      clock,
      random,
      waits,
      records,
      replicate: (server: SimulatedServer) => {
        for (const standby of this.#followers(server)) this.#receive(standby);
      },
      received: (server: SimulatedServer, at: number) => this.#whenReceived(server, at),
      shown: (server: SimulatedServer) => {
        if (server === this.#primary) this.#showTruth();
        else if (server === this.replaced?.server) {
          this.replaced.shown.push(server.contents);
          this.#noteEvents(server.contents);
        }
      },
    };
    this.servers = ["a", "b", "c"].map((name, at) => new SimulatedServer(name, log, at > 0, around));
    this.#primary = this.servers[0] as SimulatedServer;
    this.network = new Network(clock, random, this.servers);
    this.#showTruth();
  }

  /** What the primary shows now. */
  get contents(): Contents {
    return this.#primary.contents;
  }

  /** Lets something happen, unless what happened before must be seen first. */
  happen(fault: Fault): void {
    if (this.#now >= this.#quietUntil) this[fault]();
  }

  /** Whether an animal is where a promotion finds it: on a standby, if commits wait for one. */
  isKept(id: bigint, name: string): boolean {
    const has = ({ animals }: Contents) => animals.some((animal) => animal.id === id && animal.name === name);
    if (!this.#options.waits) return this.truth.some(({ contents }) => has(contents));
    const standbys = this.servers.filter(
      (one) => one !== this.#primary && one.cluster === this.#primary.cluster,
    );
    return has(this.contents) && standbys.some(({ log, received }) => has(log[received] as Contents));
  }

  /** Whether a primary has ever shown an event, in the words of `describeEvent`. */
  wasShown(event: string): boolean {
    return this.#events.has(event);
  }

  /** The name of an animal that is there twice: each reader gives a name to one animal. */
  createdTwice(): string | undefined {
    const names = this.contents.animals.map(({ name }) => name);
    return names.find((name, at) => names.indexOf(name) !== at);
  }

  /** An operator renames the first animal. */
  rename(server = this.#primary): void {
    if (!server.isUp || server.silentUntil > this.#now) return;
    const token = this.#token();
    this.#note(`an operator renames animal 1 on ${server.name}: ${token}`);
    void server.write(
      (contents) => ({
        next: withName(contents, 1n, `renamed ${token}`, token),
        rows: [],
      }),
      { locks: ["rewrites"] },
    );
  }

  /** An operator revokes a key, or makes it valid again. */
  changeKey(id: number): void {
    if (!this.#primary.isUp) return;
    this.#note(`an operator changes key ${id}`);
    const step = 1 + this.#options.random.below(2 ** 24);
    const now = Math.floor(this.#now);
    void this.#primary.write(
      (contents) => ({
        next: withKey(contents, id, now, step),
        rows: [],
      }),
      { locks: ["state"] },
    );
  }

  delayStandby(): void {
    const standby = this.#options.random.pick(this.#standbys());
    if (!standby) return;
    standby.pausedUntil = this.#now + this.#between(100, 5000);
    this.#note(`${standby.name} replays nothing until ${Math.round(standby.pausedUntil)} ms`);
  }

  isolateStandby(): void {
    const standby = this.#options.random.pick(this.#standbys());
    if (!standby) return;
    standby.unreachedUntil = this.#now + this.#between(100, 3000);
    this.#note(`${standby.name} receives nothing until ${Math.round(standby.unreachedUntil)} ms`);
  }

  isolateStandbys(): void {
    for (const standby of this.#standbys()) standby.unreachedUntil = this.#now + 2500;
    this.#note("no standby receives anything for 2.5 s");
  }

  /** A standby of another store is at a standby's address. */
  replaceStore(): void {
    const standby = this.#take();
    if (!standby) return;
    standby.log = [copiedStore("foreign", 8, this.#options.keys)];
    this.#reset(standby, true, 1, "7001");
    this.#note(`${standby.name} is a standby of another store`);
  }

  /** A server of another cluster, on a later timeline, is at a standby's address. */
  replaceCluster(): void {
    const standby = this.#take();
    if (!standby) return;
    standby.log = [copiedStore("foreign", 8, this.#options.keys)];
    this.#reset(standby, this.#options.random.happens(0.5), this.#primary.timeline + 3, "9009");
    this.#note(`${standby.name} is of another cluster, a ${standby.isStandby ? "standby" : "primary"}`);
  }

  rebuildStandby(): void {
    const standby = this.#take();
    if (standby) this.#follow(standby, "is rebuilt");
  }

  /** The primary is started again, with all that it had on its disk. */
  restartPrimary(): void {
    const primary = this.#primary;
    this.network.cut(primary, 0.3);
    primary.restart();
    primary.shown = primary.log.length - 1;
    this.#showTruth();
    this.#note(`${primary.name} is started again with ${describe(primary.contents)}`);
  }

  /** The primary is away for some seconds, and nobody promotes a standby. */
  stopPrimary(): void {
    const primary = this.#primary;
    this.network.cut(primary, 0.3);
    primary.isUp = false;
    primary.restart();
    this.#note(`${primary.name} is away`);
    this.#later(1000, 4000, () => {
      if (primary === this.#primary) this.#comeBack();
    });
  }

  /** The primary's machine is restored from a snapshot: it goes on from an earlier version, on the same timeline. */
  restorePrimary(): void {
    this.#restore(Math.max(0, this.#primary.shown - this.#options.random.below(6)));
    if (this.#options.random.happens(0.3)) this.#import(8);
  }

  /** The primary's machine goes on from before its last creates, and has made as many others before anybody sees it. */
  restoreCreates(): void {
    const { log, shown, contents } = this.#primary;
    const lost = 1 + this.#options.random.below(3);
    const before = log.findLastIndex(
      ({ appends }, at) => at < shown && appends.length === contents.appends.length - lost,
    );
    const version = log[before];
    if (
      version?.keysRevision !== contents.keysRevision ||
      version.rewrites.length !== contents.rewrites.length
    )
      return;
    this.#restore(before, false);
    this.#import(lost + 1);
  }

  /**
   * The rows of a dump are restored into the tables that are there, in one transaction, which standbys replay without losing a
   * connection. Kept plans alone have it: nobody notices a store that has passed what it lost before it is looked at again.
   */
  restoreRows(): void {
    const { isUp, log, shown } = this.#primary;
    if (!isUp) return;
    const dumped = log[Math.max(0, shown - 1 - this.#options.random.below(6))] as Contents;
    this.restoredAt = this.#now;
    this.#note(`a dump is restored on ${this.#primary.name}: ${describe(dumped)}`);
    void this.#primary.write(() => ({ next: dumped, rows: [] }), {
      locks: ALL_LOCKS,
      takesMs: this.#between(150, 400),
    });
  }

  /** A dump with its tables takes the place of the store once a create was read: it lacks that, and has two others instead. */
  restoreDump(): void {
    const primary = this.#primary;
    const { log, shown, readAt } = primary;
    const [lost, dumped] = [log[shown], log[shown - 1]] as const;
    const isRead = readAt === shown && primary.revisionAt === shown && shown === log.length - 1;
    if (!isRead || !dumped || lost?.appends.length !== dumped.appends.length + 1) {
      this.#options.clock.at(this.#now + 1, () => primary === this.#primary && this.restoreDump());
      return;
    }
    this.restoredAt = this.#now;
    this.#note(`a dump with its tables takes the place of the store: ${describe(dumped)}`);
    let next: Contents = { ...dumped, store: `${dumped.store.split(".")[0]}.${this.#token()}` };
    for (let added = 0; added < 2; added++) {
      const token = this.#token();
      const animal = { name: `restored ${token}`, categoryId: 1n, status: "available" } as const;
      next = withAnimals(next, [animal], token, Math.floor(this.#now)).next;
    }
    void primary.write(() => ({ next, rows: [] }), { locks: ALL_LOCKS, takesMs: 1 });
  }

  /** A command adds animals to the primary, so that its logs soon have as many rows as before. */
  #import(animals: number): void {
    this.#note(`a command adds ${animals} animals to ${this.#primary.name}`);
    const now = Math.floor(this.#now);
    for (let added = 0; added < animals; added++) {
      const token = this.#token();
      const animal = { name: `imported ${token}`, categoryId: 1n, status: "available" } as const;
      void this.#primary.write(
        (contents) => ({
          next: withAnimals(contents, [animal], token, now).next,
          rows: [],
        }),
        { locks: ["state", "feed"] },
      );
    }
  }

  /** The primary goes on from before the last change of a key, and an operator revokes another one at once. */
  restoreKeys(): void {
    const { log, shown, contents } = this.#primary;
    const before = log.findLastIndex(
      ({ keysRevision }, at) => at < shown && keysRevision < contents.keysRevision,
    );
    if (before < 0) return;
    this.#restore(before);
    const [, ...others] = this.contents.keys;
    const valid = this.#options.random.pick(others.filter(({ revokedAt }) => revokedAt === null));
    if (valid) this.changeKey(valid.id);
  }

  /** The primary's disk goes back to the revision that it gave last, while changes come one upon another. */
  restoreSeen(): void {
    this.#goBackToRevision(true);
  }

  /** As `restoreSeen`, and the machine's memory goes back too. Each connection says goodbye. */
  resumeSeen(): void {
    this.#goBackToRevision(false);
  }

  /** Once the primary was asked about a change that no revision has shown, its machine goes on from before it. */
  resumeAsked(): void {
    this.#resumeOnce(({ askedAt }) => askedAt);
  }

  /** As `resumeAsked`, once animals with such a change were read. What was read in one packet with a revision is left to operators. */
  resumeRead(): void {
    this.#resumeOnce(({ readAt }) => readAt);
  }

  #resumeOnce(seenAt: (primary: SimulatedServer) => number): void {
    const primary = this.#primary;
    const { isUp, shown, revisionAt } = primary;
    if (isUp && seenAt(primary) === shown && revisionAt < shown) this.#restore(revisionAt, false);
    else this.#options.clock.at(this.#now + 1, () => primary === this.#primary && this.#resumeOnce(seenAt));
  }

  /** What was read right after that revision may have later changes, and nothing that the primary shows tells that. */
  #goBackToRevision(isStarted: boolean): void {
    const primary = this.#primary;
    const isThere = () => primary === this.#primary && primary.isUp;
    // The primary then reads in one packet with the revision: what standbys show later is not cached.
    for (const standby of this.#standbys()) this.network.cut(standby, 0);
    for (let at = BURST_MS; at < BURST_MS * 2; at += this.#between(2, 6))
      this.#later(at, at, () => isThere() && this.rename());
    this.#later(BURST_MS * 2, BURST_MS * 2, () => {
      if (!isThere()) return;
      if (!isStarted) this.network.cut(primary, 0);
      this.#restore(Math.min(primary.shown, primary.revisionAt), isStarted);
    });
  }

  /** The primary's machine ends, a standby is promoted, and later the old primary returns as a standby. */
  promote(): void {
    const old = this.#replace(false);
    if (!old) return;
    this.#later(200, 4000, () => {
      if (old === this.#primary) return;
      this.#follow(old, "returns");
    });
  }

  /** A standby is promoted while the primary goes on, and notices nothing for a while. */
  split(): void {
    // What an instance cannot reach it cannot know.
    if (this.servers.some((server) => this.#now - this.network.cutAt(server) < SEEN_MS || !server.isUp))
      return;
    this.#quietUntil = this.#now + LEFT_MS;
    // Nor does it wait for a server that takes half a second to answer.
    this.network.steadyUntil = this.#quietUntil;
    const old = this.#replace(true);
    if (!old) return;
    // Another operator has not noticed either.
    for (let at = 0; at < GOES_ON_MAX_MS; at += this.#between(100, 800)) {
      this.#options.clock.at(this.#now + at, () => {
        if (old !== this.#primary && !old.isStandby) this.rename(old);
      });
    }
    this.#later(500, GOES_ON_MAX_MS, () => {
      if (old === this.#primary) return;
      this.network.cut(old, 0.2);
      this.#follow(old, "becomes a standby");
    });
  }

  /** An operator cancels the commits that wait for a standby: PostgreSQL says that they are done. */
  cancelWait(): void {
    const isLong = (one: Waiting) => this.#now - one.since > NOTICED_MS;
    const waiting = this.#waiting.filter(isLong);
    this.#waiting = this.#waiting.filter((one) => !isLong(one));
    if (waiting.length > 0) this.#note(`${waiting.length} commits wait for a standby, and are cancelled`);
    for (const { resolve } of waiting) resolve();
  }

  slowDisk(): void {
    const { diskMs } = this.#primary;
    const server = this.#primary;
    server.diskMs = this.#between(50, 900);
    this.#note(`${server.name} writes to its disk within ${Math.round(server.diskMs)} ms`);
    this.#later(500, 2000, () => {
      server.diskMs = diskMs;
    });
  }

  loseConnections(): void {
    const server = this.#options.random.pick(this.servers);
    this.network.cut(server as SimulatedServer, 0.5);
    this.#note(`connections to ${server?.name} are lost`);
  }

  /** Ends every fault, for the end of a run. */
  heal(): void {
    if (!this.#primary.isUp) this.#comeBack();
    for (const server of this.servers) {
      server.pausedUntil = 0;
      server.unreachedUntil = 0;
      server.diskMs = 2;
      if (server !== this.#primary && server.log !== this.#primary.log) this.#follow(server, "is rebuilt");
    }
    this.#note("everything is whole again");
  }

  get #now(): number {
    return this.#options.clock.now;
  }

  #note(what: string): void {
    this.#options.note(what);
  }

  #between(least: number, most: number): number {
    return this.#options.random.between(least, most);
  }

  #token(): number {
    return 1 + this.#options.random.below(2 ** 30);
  }

  #later(least: number, most: number, run: () => void): void {
    this.#options.clock.at(this.#now + this.#between(least, most), run);
  }

  /** Promotes the standby that has received most, if it has all that was acknowledged. */
  #replace(goesOn: boolean): SimulatedServer | undefined {
    const old = this.#primary;
    const [next] = this.#followers(old).sort((one, other) => other.received - one.received);
    // After a restart a primary shows commits that no standby has yet: a careful operator waits for them.
    if (!next || (this.#options.waits && next.received < old.shown)) return undefined;
    if (goesOn) this.replaced = { server: old, until: this.#now + LEFT_MS, shown: [old.contents] };
    else {
      this.network.cut(old, 0.5);
      old.isUp = false;
      old.restart();
    }
    next.isStandby = false;
    next.timeline = old.timeline + 1;
    next.log = old.log.slice(0, next.received + 1);
    next.shown = next.received;
    this.#primary = next;
    this.#showTruth();
    this.#note(
      `${next.name} is promoted with ${describe(next.contents)}; ${old.name} ${goesOn ? "goes on" : "is gone"}`,
    );
    for (const other of this.servers) {
      if (other === old || other === next || !other.isStandby || other.cluster !== next.cluster) continue;
      this.#later(0, 500, () => {
        if (this.#primary === next && other.log === old.log && other.received < next.log.length)
          this.#follow(other, "follows");
      });
    }
    return old;
  }

  #comeBack(): void {
    const primary = this.#primary;
    primary.isUp = true;
    primary.shown = primary.log.length - 1;
    this.#showTruth();
    this.#note(`${primary.name} is there again with ${describe(primary.contents)}`);
  }

  /**
   * Lets the primary go on from an earlier version of its disk alone, or of its memory too. Connections last through the latter on
   * which nothing was sent since.
   */
  #restore(version: number, isStarted = this.#options.random.happens(0.5)): void {
    const primary = this.#primary;
    this.restoredAt = this.#now;
    if (isStarted) {
      this.network.cut(primary, 0.7);
      primary.restart();
    } else {
      this.network.cut(primary, 0.7, 0.3);
      primary.resume();
      primary.silentUntil = this.#now + this.#between(150, 600);
    }
    primary.shown = version;
    primary.log = primary.log.slice(0, version + 1);
    primary.received = version;
    this.#showTruth();
    this.#note(`${primary.name} goes on from ${describe(primary.contents)}`);
  }

  #reset(server: SimulatedServer, isStandby: boolean, timeline: number, cluster: string): void {
    server.restart();
    Object.assign(server, { isStandby, timeline, cluster, isUp: true, wasStandby: isStandby });
    server.received = server.log.length - 1;
    server.shown = server.received;
  }

  #follow(server: SimulatedServer, what: string): void {
    server.log = this.#primary.log;
    this.#reset(server, true, this.#primary.timeline, this.#primary.cluster);
    server.shown = this.#primary.shown;
    server.received = this.#primary.shown;
    this.#receive(server);
    this.#note(`${server.name} ${what} as a standby of ${this.#primary.name}`);
  }

  #standbys(): SimulatedServer[] {
    return this.servers.filter((one) => one !== this.#primary && one.isUp);
  }

  /** One of the servers beside the primary, without its connections: one standby at least must be left. */
  #take(): SimulatedServer | undefined {
    const standby = this.#options.random.pick(this.#standbys());
    const followers = this.#followers(this.#primary);
    // What one standby alone has received may be acknowledged.
    const hasAll = ({ received }: SimulatedServer) => received === this.#primary.log.length - 1;
    if (!standby || (followers.includes(standby) && !followers.some((one) => one !== standby && hasAll(one))))
      return undefined;
    this.network.cut(standby, 0.5);
    return standby;
  }

  #followers(server: SimulatedServer): SimulatedServer[] {
    return this.servers.filter(
      (one) => one !== server && one.isUp && one.isStandby && one.log === server.log,
    );
  }

  #receive(standby: SimulatedServer): void {
    const { log } = standby;
    const at = log.length - 1;
    const due = Math.max(standby.unreachedUntil, this.#now + this.#between(0, 10));
    this.#options.clock.at(due, () => {
      if (standby.log !== log || !standby.isStandby) return;
      if (standby.unreachedUntil > this.#now) return this.#receive(standby);
      standby.received = Math.max(standby.received, at);
      this.#replay(standby, at);
      const done = this.#waiting.filter((one) => one.server.log === log && one.at <= at);
      this.#waiting = this.#waiting.filter((one) => !done.includes(one));
      for (const { resolve } of done) resolve();
    });
  }

  #replay(standby: SimulatedServer, at: number): void {
    const { log } = standby;
    const due = Math.max(standby.pausedUntil, this.#now + this.#between(0, 10));
    this.#options.clock.at(due, () => {
      if (standby.log !== log || !standby.isStandby) return;
      if (standby.pausedUntil > this.#now) this.#replay(standby, at);
      else standby.shown = Math.max(standby.shown, at);
    });
  }

  #whenReceived(server: SimulatedServer, at: number): Promise<void> {
    if (!this.#options.waits) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ server, at, since: this.#now, resolve }));
  }

  #showTruth(): void {
    this.truth.push({ since: this.#now, contents: this.#primary.contents });
    this.#noteEvents(this.#primary.contents);
  }

  #noteEvents({ events }: Contents): void {
    for (let at = events.length - 1; at >= 0; at--) {
      const event = describeEvent(events[at] as EventRow);
      if (this.#events.has(event)) return;
      this.#events.add(event);
    }
  }
}

/** How long an instance may use a primary that was replaced, in milliseconds: it asks the others every second. */
const LEFT_MS = 2500;
/** How long a primary that was replaced goes on at most. */
const GOES_ON_MAX_MS = 8000;
/** How long changes come one upon another, in milliseconds. */
const BURST_MS = 60;
/** How long ago every connection must have been lost at last, for each instance to have new ones. */
const SEEN_MS = 4000;
/** An instance asks whether a standby has a commit that took longer. */
const NOTICED_MS = 300;

function describe({ animals, orders, appends, rewrites, keysRevision }: Contents): string {
  return `${animals.length} animals, ${orders.length} orders, marks ${appends.length} and ${rewrites.length}, keys ${keysRevision}`;
}
