import type { MaybePromise } from "../src/domain/maybe-promise.ts";
import type { Connections } from "../src/http/runtime/connections.ts";
import { type ClockSetting, SandboxClock } from "./clock.ts";
import { Deliveries } from "./deliveries/deliveries.ts";
import type { Delivering, Wish } from "./deliveries/delivering.ts";
import { FaultLayer, type FaultLayerOptions } from "./fault-layer.ts";
import { FaultPlan } from "./fault-plan.ts";
import type { FaultRule } from "./faults.ts";
import type { Journal } from "./journal.ts";
import type { JournalMemory } from "./journal-memory.ts";
import type { SandboxKey } from "./keys.ts";
import type { SandboxInstance } from "./sandbox-instance.ts";

type StartInstance = (clock: () => number, state: Uint8Array | undefined) => Promise<SandboxInstance>;

/** A space as it was. */
export interface Snapshot {
  readonly state: Uint8Array;
  readonly clock: ClockSetting;
}

/** Snapshots of a space at once: each is a copy of its store. */
export const SNAPSHOTS_MAX = 20;

interface SpaceOptions extends Omit<FaultLayerOptions, "plan"> {
  readonly id: string;
  readonly keys: readonly [SandboxKey, ...SandboxKey[]];
  readonly start: StartInstance;
  /** Of the journals of all spaces. */
  readonly memory: JournalMemory;
  /** With which it begins, and which a reset plans again; left out: none. */
  readonly faults?: readonly FaultRule[];
  /** Where it begins, and where a reset leads; left out: in the initial state, at the real time. */
  readonly from?: Snapshot | undefined;
}

/**
 * A sandbox within the sandbox, which API keys choose: a store, a clock, faults and a journal of its own. Its service starts
 * with the first request, so a space that is not used costs next to nothing.
 */
export class Space {
  readonly id: string;
  readonly keys: readonly [SandboxKey, ...SandboxKey[]];
  readonly clock = new SandboxClock(Date.now);
  readonly plan = new FaultPlan();
  readonly journal: Journal;
  readonly deliveries: Deliveries;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #start: StartInstance;
  readonly #from: Snapshot | undefined;
  readonly #faults: readonly FaultRule[];
  readonly #layer: FaultLayer;
  #starting: Promise<SandboxInstance> | undefined;
  /** The instance once it has started: requests need not wait for it. */
  #started: SandboxInstance | undefined;
  #usedAt = performance.now();
  #inProgress = 0;
  #hasEnded = false;
  /** The requests in progress and the open streams. */
  readonly #pending = () => this.#inProgress + this.#streams;

  constructor({ id, keys, start, from, memory, faults = [], ...layer }: SpaceOptions) {
    this.id = id;
    this.keys = keys;
    this.#start = start;
    this.#from = from;
    this.#faults = faults;
    this.plan.replace(faults);
    if (from) this.clock.setting = from.clock;
    this.journal = layer.journal;
    this.deliveries = new Deliveries({ plan: this.plan, clock: this.clock, memory });
    this.#layer = new FaultLayer({ ...layer, plan: this.plan });
  }

  /**
   * @param target path and query of the request
   * @param key the name of the API key that chose this space, if one did
   */
  handle(
    request: Request,
    target: string,
    connections: Connections,
    key: string | null,
  ): MaybePromise<Response> {
    this.use();
    this.#inProgress++;
    const call = { request, target, key, connections, pending: this.#pending };
    const answer = this.#started
      ? this.#layer.handle(call, this.#started)
      : this.#instance().then((instance) => this.#layer.handle(call, instance));
    if (answer instanceof Promise) return answer.finally(() => this.#answered());
    this.#answered();
    return answer;
  }

  #answered(): void {
    this.#inProgress--;
    this.deliveries.wake();
  }

  /** Notes that the space is in use. */
  use(): void {
    this.#usedAt = performance.now();
  }

  /** How long it has not been used, in milliseconds: 0 while a stream is open. */
  get idleMs(): number {
    return this.#streams > 0 ? 0 : performance.now() - this.#usedAt;
  }

  /** Delivers each event from now on; `undefined` if it delivers to as many addresses as it may. */
  async deliverTo(wish: Wish): Promise<Delivering | undefined> {
    for (;;) {
      const instance = await this.#instance();
      const newest = await instance.newestEventId();
      // A reset may have replaced it meanwhile.
      if (this.#started === instance || this.#hasEnded) return this.deliveries.add(wish, instance, newest);
    }
  }

  /** Does what is due, after its clock was set: ends waits, and deletes what has expired. */
  async clockChanged(): Promise<void> {
    this.deliveries.clockChanged();
    await (await this.#instance()).deleteExpired();
  }

  /** Begins again, as it began at first, with the first faults, an empty journal and no deliveries. Snapshots stay. */
  async reset(initial: Uint8Array): Promise<void> {
    this.deliveries.reset();
    this.plan.replace(this.#faults);
    this.clock.reset();
    if (this.#from) this.clock.setting = this.#from.clock;
    this.journal.clear();
    await this.begin(this.#from?.state ?? initial);
  }

  /** The names of its snapshots, in the order in which they were taken. */
  get snapshots(): readonly string[] {
    return [...this.#snapshots.keys()];
  }

  snapshot(name: string): Snapshot | undefined {
    return this.#snapshots.get(name);
  }

  /** Keeps the store and the clock as they are, under a name; whether there was room. */
  async takeSnapshot(name: string): Promise<boolean> {
    const instance = await this.#instance();
    if (!this.#snapshots.has(name) && this.#snapshots.size >= SNAPSHOTS_MAX) return false;
    this.#snapshots.delete(name);
    this.#snapshots.set(name, { state: instance.state(), clock: this.clock.setting });
    return true;
  }

  /** Begins again with the store and the clock of a snapshot; faults, journal and deliveries go on. Whether there is such a snapshot. */
  async restore(name: string): Promise<boolean> {
    const snapshot = this.#snapshots.get(name);
    if (!snapshot) return false;
    this.clock.setting = snapshot.clock;
    await this.begin(snapshot.state);
    return true;
  }

  /** Whether there was such a snapshot. */
  deleteSnapshot(name: string): boolean {
    return this.#snapshots.delete(name);
  }

  /**
   * Starts the service, in place of the running one. Requests in progress get 503, and streams end; later ones wait for
   * the new service.
   *
   * @param state in which to begin; left out: as it was left, or else the initial state
   */
  async begin(state?: Uint8Array): Promise<void> {
    // A reset that was on its way when the space was removed would start a store that nobody closes.
    if (this.#hasEnded) return;
    const former = this.#starting;
    this.#started = undefined;
    const starting = (async () => {
      await endStarted(former);
      const started = await this.#start(this.clock.now, state);
      await this.deliveries.follow(started);
      this.#started = started;
      return started;
    })();
    this.#starting = starting;
    try {
      await starting;
    } catch (error) {
      // The next request starts it again.
      if (this.#starting === starting) this.#starting = undefined;
      throw error;
    }
  }

  /** Ends all streams and deliveries, so that requests in progress can end. */
  refuse(): void {
    this.deliveries.end();
    this.#started?.refuse();
  }

  /** Whether it was removed: what it would still do means nothing. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.journal.end();
    this.deliveries.end();
    await endStarted(this.#starting);
  }

  get #streams(): number {
    return this.#started?.streams ?? 0;
  }

  async #instance(): Promise<SandboxInstance> {
    if (!this.#starting) await this.begin(this.#from?.state);
    return this.#starting as Promise<SandboxInstance>;
  }
}

/** Ends an instance, unless it has failed to start. */
async function endStarted(starting: Promise<SandboxInstance> | undefined): Promise<void> {
  const started = await starting?.catch(() => undefined);
  await started?.end();
}
