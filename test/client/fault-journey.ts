import type * as Client from "../../client/main.ts";
import type { Destination } from "./journey.ts";

/** The time of one attempt where a fault takes longer than that. */
const ATTEMPT_MS = 400;
const SLOWER = `delayMs=${5 * ATTEMPT_MS}`;
const PATIENT = { timeoutMs: ATTEMPT_MS, retries: 1000, deadlineMs: Number.POSITIVE_INFINITY };
/** The animals, orders and events of a new sandbox. */
const ANIMALS = 24;
const ORDERS = 4;
const EVENTS = 30;

/** Each fault once, and several in a row. */
const FAULTS = [
  ["429; retryAfterSeconds=1"],
  ["503; retryAfterSeconds=1"],
  ["502"],
  ["reset"],
  ["lost"],
  ["cut"],
  ["lost", "cut", "lost"],
];

/**
 * What a client makes of the faults of a new sandbox, without anything of a runtime's own, so that each runtime can show
 * the same.
 * @returns what it saw, a line each
 */
export async function journey(client: typeof Client, { baseUrl, apiKey }: Destination): Promise<string[]> {
  /** A client whose first requests each ask for one of these faults. */
  function under(faults: readonly string[], options: Partial<Client.AnimalStoreOptions> = {}) {
    const left = [...faults];
    const failures: string[] = [];
    const keys = new Set<string>();
    const store = new client.AnimalStore({
      baseUrl,
      apiKey,
      onDeprecation: () => {},
      fetch: (url, init) => {
        const headers = init.headers as Record<string, string>;
        keys.add(headers["idempotency-key"] ?? "");
        const fault = left.shift();
        return fetch(
          url,
          fault === undefined ? init : { ...init, headers: { ...headers, prefer: `fault=${fault}` } },
        );
      },
      onRetry: ({ error, delayMs }) => {
        const { retryAfterMs } = error as Client.ServiceError;
        const isEarly = retryAfterMs !== undefined && delayMs < retryAfterMs;
        failures.push(
          error.name + (retryAfterMs === undefined ? "" : ` ${retryAfterMs} ms`) + (isEarly ? " early" : ""),
        );
      },
      ...options,
    });
    const outcome = (...values: unknown[]) =>
      [faults.join(", "), "->", ...values, ...failures].map(String).join(" ");
    return { store, failures, keys, outcome };
  }
  const { store: calm } = under([]);

  async function list(faults: string[]): Promise<string> {
    const { store, outcome } = under(faults);
    const { items } = await store.pets.list({ limit: 5 }).firstPage();
    return `list ${outcome(items.length)}`;
  }

  async function create(faults: string[]): Promise<string> {
    const { store, keys, outcome } = under(faults);
    const { categoryId } = await store.pets.create({ name: "Once", categoryId: 9223372036854775807n });
    return `create ${outcome(categoryId, "keys", keys.size)}`;
  }

  async function place(faults: string[]): Promise<string> {
    const { id } = await calm.pets.create({ name: "Ordered", categoryId: 1n });
    const { store, keys, outcome } = under(faults);
    const order = await store.orders.place(id);
    return `place ${outcome(order.petId === id, "keys", keys.size)}`;
  }

  async function update(faults: string[]): Promise<string> {
    const { id: petId } = await calm.pets.create({ name: "Ordered", categoryId: 1n });
    const { id } = await calm.orders.place(petId);
    const { store, outcome } = under(faults);
    return `update ${outcome((await store.orders.update(id, "approved")).status)}`;
  }

  async function follow(faults: string[]): Promise<string> {
    const kept: bigint[] = [];
    for await (const { id } of calm.events.list()) if (kept.push(id) === EVENTS) break;
    const { store, outcome } = under(faults);
    const followed: bigint[] = [];
    for await (const { id } of store.events.stream()) if (followed.push(id) === EVENTS) break;
    return `follow ${outcome(followed.join() === kept.join())}`;
  }

  async function refused(
    faults: string[],
    call: (store: Client.AnimalStore) => Promise<unknown>,
    options: Partial<Client.AnimalStoreOptions> = {},
  ): Promise<string> {
    const { store, outcome } = under(faults, options);
    const error = await call(store).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(error instanceof client.AnimalStoreError)) return `not refused ${outcome(error)}`;
    return `refused ${outcome(error.name, "attempts", error.attempts)}`;
  }

  /** An attempt that is given up is done all the same: after the retry with its key, or before. */
  async function late(): Promise<string> {
    const { store, failures, keys } = under([`delay; ${SLOWER}`], PATIENT);
    const { id } = await store.pets.create({ name: "Late", categoryId: 1n });
    // A request that began later and takes as long ends after it.
    await under([`delay; ${SLOWER}`])
      .store.pets.list()
      .firstPage();
    const found: bigint[] = [];
    for await (const animal of calm.pets.list()) if (animal.name === "Late") found.push(animal.id);
    return `late ${failures[0]} keys ${keys.size} animals ${found.length} ${found[0] === id}`;
  }

  async function slow(): Promise<string> {
    const { store, failures } = under(["slow"], PATIENT);
    const { items } = await store.pets.list({ limit: 20 }).firstPage();
    return `slow ${failures[0]} ${items.length}`;
  }

  const page = (store: Client.AnimalStore) => store.pets.list().firstPage();
  const seen = await Promise.all([
    ...FAULTS.flatMap((faults) => [
      list(faults),
      create(faults),
      place(faults),
      update(faults),
      follow(faults),
    ]),
    refused(["500"], (store) => store.pets.create({ name: "Nobody", categoryId: 1n })),
    refused(["429; retryAfterSeconds=31"], page),
    refused(["429"], (store) => store.pets.get(1n), { retries: 0 }),
    refused(["503", "503"], page, { retries: 1 }),
    refused(["lost", "lost"], page, { retries: 1 }),
    late(),
    slow(),
  ]);
  const count = async (items: AsyncIterable<unknown>) => {
    let number = 0;
    for await (const _ of items) number++;
    return number;
  };
  const { length } = FAULTS;
  // Each create added one animal, each order needed one, and so did the late one.
  seen.push(`animals ${(await count(calm.pets.list())) - ANIMALS - 3 * length - 1} too many`);
  seen.push(`orders ${(await count(calm.orders.list())) - ORDERS - 2 * length} too many`);
  return seen;
}
