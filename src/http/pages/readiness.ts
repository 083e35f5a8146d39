import { within } from "../../async/within.ts";
import type { EventSink } from "../../domain/event.ts";
import type { UnreadyPart } from "../../domain/failure.ts";
import type { Store } from "../../domain/store.ts";

/** How long one look at the store holds: however many ask, it is looked at no more often. */
const FRESH_MS = 1000;
/** How long a look may take. */
const LOOK_MAX_MS = 1000;

/** What a look at the store has shown. */
type Look = { readonly part: UnreadyPart; readonly error: unknown } | undefined;

/** Tells whether a service can do its work now. */
export class Readiness {
  readonly #store: Pick<Store, "check" | "checkWriting">;
  readonly #emit: EventSink;
  #stopping = false;
  #looked: Promise<Look> | undefined;
  #lookedAt = 0;
  /** Whether a look at the store, perhaps one that was given up, has not come to its end. */
  #looking = false;
  #wasReady = true;
  /** Whether something has failed since the last look began. */
  #doubted = false;

  constructor(store: Pick<Store, "check" | "checkWriting">, emit: EventSink) {
    this.#store = store;
    this.#emit = emit;
  }

  /** From now on it is not. */
  stop(): void {
    this.#stopping = true;
  }

  /** A request has just found that the store fails: what a look has shown before holds no more. */
  doubt(): void {
    // Where a look has shown that already, it is not looked at more often than else.
    this.#doubted ||= this.#wasReady;
  }

  /** What keeps the service from being ready; `undefined`: it is. */
  async missing(): Promise<UnreadyPart | undefined> {
    if (this.#stopping) return "stopping";
    const now = performance.now();
    // A store that hangs is not asked again until it has answered: that would only add to its work.
    const isOld = this.#doubted || now - this.#lookedAt >= FRESH_MS;
    if (!this.#looked || (!this.#looking && isOld)) {
      this.#lookedAt = now;
      this.#doubted = false;
      this.#looked = this.#look();
    }
    return (await this.#looked)?.part;
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
    const look: Look = await within(LOOK_MAX_MS, looking, () => ({
      part,
      error: new Error(`the store took longer than ${LOOK_MAX_MS} ms`),
    }));
    this.#tell(look);
    return look;
  }

  #tell(look: Look): void {
    if (look && this.#wasReady) this.#emit({ event: "unready", ...look });
    if (!look && !this.#wasReady) this.#emit({ event: "ready_again" });
    this.#wasReady = !look;
  }
}
