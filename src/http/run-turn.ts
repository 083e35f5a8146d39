import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Revision } from "../domain/revision.ts";
import type { Store } from "../domain/store.ts";
import type { Exchange } from "./exchange.ts";

/** A turn asks the store for at most this long; the rest of its requests join the next. Reads from a cold disk may be slow. */
const TURN_MAX_MS = 5;

/** What happens to each request of a turn. */
interface Phases {
  /**
   * Asks the store for what the request needs.
   *
   * @param asked by target: the first request of this turn for it, which asks the store for all of them
   */
  load(exchange: Exchange, revision: MaybePromise<Revision>, asked: Map<string, Exchange>): void;
  /** Continues with the store's reply. @param revision current at some time since the turn began */
  finish(exchange: Exchange, revision: Revision): void;
  /** The turn had no time to load this request. */
  postpone(exchange: Exchange): void;
  /** Another phase threw an exception. */
  fail(exchange: Exchange, error: unknown): void;
}

/** Runs a turn: its requests ask the store together, and then each one finishes. An exception fails its own request alone. */
export function runTurn(turn: readonly Exchange[], store: Store, phases: Phases): void {
  const due = performance.now() + TURN_MAX_MS;
  const asked = new Map<string, Exchange>();
  let loaded = 0;
  let revision: MaybePromise<Revision>;
  try {
    revision = store.together((revision) => {
      do {
        const exchange = turn[loaded++] as Exchange;
        attempt(exchange, phases, () => phases.load(exchange, revision, asked));
      } while (loaded < turn.length && performance.now() < due);
      return revision;
    });
  } catch (error) {
    // A store that refuses a whole turn would refuse its requests in the next turn too.
    for (const exchange of turn) if (!exchange.response) exchange.run(() => phases.fail(exchange, error));
    return;
  }
  for (const exchange of turn.slice(0, loaded)) {
    // A request that failed to load has its response.
    if (exchange.response) continue;
    attempt(exchange, phases, () => {
      if (revision instanceof Promise || exchange.loading) void finishLater(exchange, revision, phases);
      else phases.finish(exchange, revision);
    });
  }
  for (const exchange of turn.slice(loaded)) phases.postpone(exchange);
}

async function finishLater(
  exchange: Exchange,
  revision: MaybePromise<Revision>,
  phases: Phases,
): Promise<void> {
  try {
    const asOf = await revision;
    await exchange.loading;
    exchange.loading = undefined;
    phases.finish(exchange, asOf);
  } catch (error) {
    phases.fail(exchange, error);
  }
}

/** Runs a step of a request in its own trace. */
function attempt(exchange: Exchange, phases: Phases, step: () => void): void {
  try {
    exchange.run(step);
  } catch (error) {
    exchange.run(() => phases.fail(exchange, error));
  }
}
