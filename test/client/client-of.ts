import { AnimalStore } from "../../client/animal-store.ts";
import type { AnimalStoreOptions } from "../../client/options.ts";
import type { Service } from "../support/service.ts";

/** A client of a service, by its own address unless the options give another. It does not warn of deprecation. */
export function clientOf(
  { address, key }: Pick<Service, "address" | "key">,
  options: Partial<AnimalStoreOptions> = {},
): AnimalStore {
  return new AnimalStore({ baseUrl: `${address}/v1`, apiKey: key, onDeprecation: () => {}, ...options });
}

/** The error that a call ends with. */
export async function errorOf(call: Promise<unknown>): Promise<Error> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`an error was expected, not ${String(outcome)}`);
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
