import type { FailureDetails, UnreadyPart } from "../../domain/failure.ts";
import type { Store } from "../../domain/store.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import { within } from "../../system/within.ts";

/** How long the result of a look at the store is used, in milliseconds: it bounds what frequent probes cost. */
const FRESH_MS = 1000;
/** How long a look may take, in milliseconds. */
const LOOK_MAX_MS = 1000;
/** How long to look for what a write waits for after that, in milliseconds. */
const WAIT_LOOK_MAX_MS = 500;

type StoreLooked = Pick<Store, "check" | "checkWriting" | "findWriteWait">;

/** The result of a look at the store; `undefined` if it is ready. */
type Look =
  | { readonly part: UnreadyPart; readonly error: unknown; readonly waitsFor?: string | undefined }
  | undefined;

/** Finds out whether the service can serve requests now. */
export class Readiness {
  readonly #store: StoreLooked;
  readonly #emit: ObservationSink;
  #stopping = false;
  #looked: Promise<Look> | undefined;
  #lookedAt = 0;
  /** Whether the store is still answering a look, perhaps after its time limit. */
  #looking = false;
  #wasReady = true;
  /** Whether the store has failed since the last look began. */
  #doubted = false;

  constructor(store: StoreLooked, emit: ObservationSink) {
    this.#store = store;
    this.#emit = emit;
  }

  /** From now on the service is not ready. */
  stop(): void {
    this.#stopping = true;
  }

  /** Discards the result of the last look, because the store has just failed a request. */
  doubt(): void {
    // If the last look has shown the failure already, the next one keeps its usual pace.
    this.#doubted ||= this.#wasReady;
  }

  /** What keeps the service from being ready; `undefined` if it is ready. */
  async missing(): Promise<FailureDetails["not_ready"] | undefined> {
    if (this.#stopping) return { part: "stopping" };
    const now = performance.now();
    // A store that hangs is not asked again until it has answered: more questions would only add to its work.
    const isOld = this.#doubted || now - this.#lookedAt >= FRESH_MS;
    if (!this.#looked || (!this.#looking && isOld)) {
      this.#lookedAt = now;
      this.#doubted = false;
      this.#looked = this.#look();
    }
    return await this.#looked;
  }

  async #look(): Promise<Look> {
    this.#looking = true;
    let part: UnreadyPart = "reading";
    const looking = (async () => {
      try {
        await this.#store.check();
        part = "writing";
        await this.#store.checkWriting();
        return undefined;
      } catch (error) {
        return { part, error };
      } finally {
        this.#looking = false;
      }
    })();
    const look: Look = await within(LOOK_MAX_MS, looking, async () => {
      const error = new Error(`the store took longer than ${LOOK_MAX_MS} ms`);
      const finding = this.#store.findWriteWait().catch(() => undefined);
      return { part, error, waitsFor: await within(WAIT_LOOK_MAX_MS, finding, () => undefined) };
    });
    this.#report(look);
    return look;
  }

  #report(look: Look): void {
    if (look && this.#wasReady) this.#emit({ event: "unready", part: look.part, error: look.error });
    if (!look && !this.#wasReady) this.#emit({ event: "ready_again" });
    this.#wasReady = !look;
  }
}
