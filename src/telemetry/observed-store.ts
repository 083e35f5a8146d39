import { AsyncLocalStorage } from "node:async_hooks";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { CALLS, type Store } from "../domain/store.ts";

/** Runs a call of a store and observes its result. */
export type ObserveCall = <Result>(
  name: keyof Store | "revision",
  call: () => MaybePromise<Result>,
) => MaybePromise<Result>;

type Call = keyof typeof CALLS;

/** The name of every call that a service makes. */
export const CALLS_OF_SERVICE: readonly string[] = [
  ...Object.entries(CALLS).flatMap(([name, ofService]) => (ofService ? [name] : [])),
  "revision",
];

/** A store whose calls are observed, including those made within `read`, which run in the context of its caller. */
export function observedStore(store: Store, observe: ObserveCall): Store {
  const calls = (Object.keys(CALLS) as Call[]).map((name) => {
    const call = (...args: unknown[]) => observe(name, () => Reflect.apply(store[name], store, args));
    return [name, call] as const;
  });
  return {
    ...(Object.fromEntries(calls) as unknown as Pick<Store, Call>),
    revisionAtHand: () => store.revisionAtHand(),
    read(work, sharedAs) {
      const read = () => store.read(inOwnContext, sharedAs);
      const inOwnContext = AsyncLocalStorage.bind(work);
      // A revision at hand is read from memory and is not a call of the store.
      return store.revisionAtHand() ? read() : observe("revision", read);
    },
    findWriteWait: () => store.findWriteWait(),
    close: () => store.close(),
  };
}
