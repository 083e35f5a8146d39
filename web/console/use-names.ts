import type { Animal, Order } from "../../client/contract.ts";
import type { Session } from "./session.ts";

/** The names of the animals of orders, by their ids: of those that came with an order, or were seen before. */
export function useNames(
  session: Session,
  orders: readonly Order[] | undefined,
): ReadonlyMap<string, string> {
  rememberNames(session, orders?.flatMap(({ pet }) => pet ?? []) ?? []);
  return session.names;
}

/** Remembers the names of animals that were seen. */
export function rememberNames(session: Session, animals: readonly Animal[]): void {
  for (const { id, name } of animals) session.names.set(String(id), name);
}
