// Animal Store with its own client: create and order with a safe retry, list all pages, handle an error.
//
//   ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… node with-client.ts   (Node 22.18 or newer, Bun, Deno)
//
// In a clone, `npm ci && npm run build:client` makes the client that it imports.
//
// int64: exact. Every id is a bigint, which the client reads and writes digit by digit; retries, keys and links are its work.
import { AnimalStore, InvalidBodyError } from "@animal-store/client";

const { ANIMAL_STORE_URL = "", API_KEY = "" } = process.env;
const store = new AnimalStore({ baseUrl: ANIMAL_STORE_URL, apiKey: API_KEY });

const rex = await store.pets.create({ name: "Rex", categoryId: 9223372036854775807n });
console.log(`created ${rex.id} with category ${rex.categoryId}`);

const order = await store.orders.place(rex.id);
const { status } = await store.orders.update(order.id, "cancelled");
console.log(`ordered ${order.petId}: ${order.status}, then ${status}`);

let listed = 0;
for await (const _animal of store.pets.list({ limit: 2 })) listed++;
console.log(`listed ${listed}`);

try {
  await store.pets.create({ name: "", categoryId: 1n });
} catch (error) {
  if (!(error instanceof InvalidBodyError)) throw error;
  console.log(`refused with ${error.code}`);
}
