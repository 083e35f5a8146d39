import { Database } from "bun:sqlite";
import type { Call, RunningSide } from "./side.ts";

/** Animals in a store before anything is measured. */
export const STOCK = 1000;

const NAMES = ["Rex", "Mia", "Bruno the Second", "Zoë", "Captain Whiskers", "Лайка", "Old Speckled Hen"];
const STATUSES = ["available", "pending", "sold"];
/** Creates under way at once. */
const WIDTH = 50;

/** Gives a side its stock, over HTTP. */
export async function fillStock({ address }: RunningSide, create: Call): Promise<void> {
  for (let first = 0; first < STOCK; first += WIDTH) {
    const batch = Array.from({ length: WIDTH }, (_, index) => add(first + index));
    await Promise.all(batch);
  }

  async function add(number: number): Promise<void> {
    const body = JSON.stringify({
      name: `${NAMES[number % NAMES.length]} ${number}`,
      categoryId: number % 40,
      status: STATUSES[number % STATUSES.length],
    });
    const answer = await fetch(address + create.path, { method: "POST", headers: create.headers, body });
    if (answer.status !== 201) throw new Error(`${address} refused an animal: ${await answer.text()}`);
  }
}

/** Counts the animals in a database file, past whoever serves it. */
export function countAnimals(file: string): number {
  using database = new Database(file, { readonly: true });
  return database.query<{ n: number }, []>("SELECT count(*) AS n FROM animal").get()?.n ?? 0;
}
