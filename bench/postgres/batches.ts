import type { NewAnimal } from "../../src/domain/animal.ts";
import { openStore } from "../../src/stores/open.ts";
import { show, table } from "../report/text.ts";
import { spread } from "../spread.ts";

const SIZES = [1, 10, 100, 1000];
const REX: NewAnimal = { name: "Rex", categoryId: 12n, status: "available" };

/** How long one statement and its commit take, by the number of animals in it: the lock that orders all creates is held so long. */
export async function measureBatches(url: string, rounds: number): Promise<string> {
  const store = await openStore(url, Date.now);
  const took = new Map<number, number[]>(SIZES.map((size) => [size, []]));
  for (let round = 0; round < rounds * 10; round++) {
    for (const size of SIZES) {
      const begin = performance.now();
      // What is asked for in one turn of the event loop goes in one statement.
      await Promise.all(Array.from({ length: size }, () => store.addAnimal(REX)));
      took.get(size)?.push(performance.now() - begin);
    }
  }
  await store.close();
  const rows = [...took].map(([size, times]) => [
    `${size}`,
    show(spread(times), 1),
    show(spread(times.map((milliseconds) => (size / milliseconds) * 1000)), 0),
  ]);
  return [
    "### One commit, from one instance alone",
    table(["animals in it", "ms", "animals a second"], rows),
  ].join("\n\n");
}
