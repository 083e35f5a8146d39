// Animal Store with its own client: keep a copy of the stock up to date with the feed of changes (experimental).
//
//   ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… node follow-events.ts   (Node 22.18 or newer, Bun, Deno)
//
// In a clone, `npm ci && npm run build:client` makes the client that it imports.
//
// The client connects again after a cut and resumes after the last event, so the copy misses no event. What the feed does
// not report stays as it was copied: an animal's removal, and a new name or category. Ctrl+C ends it.
import { type Animal, AnimalStore, EventsExpiredError } from "@animal-store/client";

const { ANIMAL_STORE_URL = "", API_KEY = "" } = process.env;
const store = new AnimalStore({
  baseUrl: ANIMAL_STORE_URL,
  apiKey: API_KEY,
  onRetry: ({ operation, error }) => console.error(`${operation} again, after: ${error.message}`),
});

const stock = new Map<bigint, Animal>();

/** Copies the stock, then follows its changes until the service has expired the events that come next. */
async function follow(): Promise<void> {
  // The position comes first: what changes while the list is read is then among the events.
  const { next = "" } = await store.events.list({ from: "latest" }).firstPage();
  stock.clear();
  for await (const animal of store.pets.list()) stock.set(animal.id, animal);
  console.log(`copied ${stock.size}`);
  try {
    for await (const { type, animal } of store.events.streamFrom(next)) {
      if (animal === undefined) continue; // An event of an order. If its animal changes, an event of its own says so.
      stock.set(animal.id, animal);
      console.log(`${type}: ${animal.id} is ${animal.status}, ${stock.size} in all`);
    }
  } catch (error) {
    // The service keeps events for some days, and none from before a restored backup: start again with a copy.
    if (!(error instanceof EventsExpiredError)) throw error;
  }
}

for (;;) await follow();
