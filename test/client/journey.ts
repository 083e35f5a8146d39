import type * as Client from "../../client/main.ts";

/** Where a journey goes: an empty store. */
export interface Destination {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const GREATEST = 9223372036854775807n;

/**
 * What a program does with the client, without anything of a runtime's own, so that each runtime can show the same.
 * @returns what it saw, a line each
 */
export async function journey(client: typeof Client, { baseUrl, apiKey }: Destination): Promise<string[]> {
  const seen: string[] = [];
  const see = (...values: unknown[]) => seen.push(values.map(String).join(" "));
  const options = {
    onDeprecation: ({ operation, successor }: Client.DeprecationNotice) => see(operation, successor),
  };
  const store = new client.AnimalStore({ baseUrl, apiKey, ...options });

  for (const categoryId of [GREATEST, -GREATEST - 1n, 9007199254740993n, 0n]) {
    const animal = await store.pets.create({ name: `n "9007199254740993" ${categoryId}`, categoryId });
    see("created", animal.id, animal.categoryId, animal.name, animal.status);
  }
  const once = { idempotencyKey: "journey" };
  const first = await store.pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, once);
  const again = await store.pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, once);
  see("twice", first.id === again.id, typeof first.id);

  for await (const { id, categoryId } of store.pets.list({ limit: 2 })) see("listed", id, categoryId);
  const statuses: number[] = [];
  const watched = new client.AnimalStore({
    baseUrl,
    apiKey,
    ...options,
    onResponse: ({ status }) => statuses.push(status),
  });
  const sold = watched.pets.list({ status: "sold" });
  see("pages", (await sold.firstPage()).items.length, (await sold.firstPage()).items.length, statuses);
  see("got", (await store.pets.get(first.id)).name, (await store.pets.get(first.id)).name);

  const refused = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => "nothing",
      (error: unknown) => error,
    );
    if (!(error instanceof client.ServiceError)) return see("refused by", error);
    see("refused", error.name, error.code, error.status, typeof error.requestId);
  };
  await refused(store.pets.get(GREATEST));
  await refused(store.pets.create({ name: "", categoryId: GREATEST + 1n }));
  await refused(store.pets.create({ name: "Mia", categoryId: 1n }, once));
  await refused(new client.AnimalStore({ baseUrl, apiKey: "nobody" }).pets.list().firstPage());

  const mia = await store.pets.create({ name: "Mia", categoryId: GREATEST });
  const order = await store.orders.place(mia.id);
  const cancelled = await store.orders.update(order.id, "cancelled");
  see(
    "ordered",
    order.id,
    order.petId,
    order.status,
    cancelled.status,
    (await store.orders.get(order.id)).status,
  );
  for await (const { id, petId } of store.orders.list({ petId: mia.id })) see("order", id, typeof petId);
  await refused(store.orders.place(first.id));
  await refused(store.orders.update(order.id, "approved"));

  let events = 0;
  for await (const event of store.events.stream()) {
    if (event.type === "animal.created") see("event", event.type, event.animal.categoryId);
    if (event.type === "animal.status_changed") see("event", event.type, event.animal.status);
    if (event.type === "order.placed") see("event", event.type, event.order.petId);
    if (event.type === "order.status_changed") see("event", event.type, event.order.status);
    if (++events === 10) break;
  }
  for await (const { id, type } of store.events.list({ type: "order.placed" }))
    see("listed event", type, typeof id);

  const controller = new AbortController();
  controller.abort(new Error("changed my mind"));
  await refused(store.pets.create({ name: "Nobody", categoryId: 1n }, { signal: controller.signal }));
  return seen;
}
