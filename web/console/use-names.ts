import { useEffect, useState } from "preact/hooks";
import type { Animal, Order } from "../../client/contract.ts";
import type { Session } from "./session.ts";

/** The names of the animals of orders, by their ids; those that are not known yet are asked for, one after the other. */
export function useNames(
  session: Session,
  orders: readonly Order[] | undefined,
): ReadonlyMap<string, string> {
  const { names, finder } = session;
  const [, setCount] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const ask = async () => {
      const ids = new Set((orders ?? []).map(({ petId }) => String(petId)));
      for (const id of [...ids].filter((each) => !names.has(each))) {
        const animal = await finder.get(id, signal);
        // A name is a help, not a need: a service that refuses one is asked for no more.
        if (signal.aborted || !animal) return;
        names.set(id, animal.name);
        setCount(names.size);
      }
    };
    void ask();
    return () => controller.abort();
  }, [orders, names, finder]);
  return names;
}

/** Remembers the names of animals that were seen. */
export function rememberNames(session: Session, animals: readonly Animal[]): void {
  for (const { id, name } of animals) session.names.set(String(id), name);
}
