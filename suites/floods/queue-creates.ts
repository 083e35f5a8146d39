// A program for overload.test.ts, in a process of its own so that its memory can be measured. It queues creates by the
// hundred thousand in a store, flood after flood, and prints their outcomes and its memory as JSON.
import { StoreFailure } from "../../src/domain/failure.ts";
import { openStore } from "../../src/stores/open.ts";

const [file = "", creates = "", floods = ""] = process.argv.slice(2);
const store = await openStore(`sqlite:${file}`, Date.now);
/** The longest there are: 255 characters, each of four bytes in UTF-8. */
const padding = "🐢".repeat(245);
const acknowledged = new Set<string>();
let overloaded = 0;
const residentMb: number[] = [];

for (let flood = 0; flood < Number(floods); flood++) {
  const settled: Promise<void>[] = [];
  for (let count = 0; count < Number(creates); count++) {
    const name = `${flood}.${count}`;
    settled.push(
      store.addAnimal({ name: name + padding, categoryId: 1n, status: "available" }).then(
        () => void acknowledged.add(name),
        (error) => {
          if (!(error instanceof StoreFailure) || error.code !== "overloaded") throw error;
          overloaded++;
        },
      ),
    );
  }
  await Promise.all(settled);
  Bun.gc(true);
  residentMb.push(Math.round(process.memoryUsage.rss() / 2 ** 20));
}

let stored = 0;
let unasked = 0;
for (let after = 0n, more = true; more; ) {
  const page = await store.listAnimals({ status: undefined, after, limit: 1000 });
  for (const { id, name } of page.items) {
    after = BigInt(id);
    stored++;
    if (!acknowledged.delete(name.slice(0, -padding.length))) unasked++;
  }
  more = page.more;
}
await store.close();
console.log(JSON.stringify({ overloaded, stored, unasked, lost: acknowledged.size, residentMb }));
