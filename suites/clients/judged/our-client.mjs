// A program with Animal Store's own client. The client repeats, waits, keeps keys and follows links by itself.
import { AnimalStore, InvalidBodyError } from "@animal-store/client";

const store = AnimalStore.fromEnv();
const animals = [];
for await (const animal of store.pets.list({ limit: 10 })) animals.push(animal);
const max = animals.find(({ name }) => name === "Max");
const twin = await store.pets.create({ name: "Max's twin", categoryId: max.categoryId });
await store.pets.get(twin.id);
for await (const animal of store.pets.list({ limit: 10 })) if (animal.id === twin.id) console.log(animal);

const order = await store.orders.place(twin.id);
await store.orders.update(order.id, "cancelled");
try {
  await store.pets.create({ name: "", categoryId: 1n });
} catch (error) {
  if (!(error instanceof InvalidBodyError)) throw error;
}
