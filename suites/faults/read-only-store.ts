// A program for read-only.test.ts, since only a prefix can bind root to file modes. It opens a store, removes the right to
// write before the writer looks, restores it, and prints the outcome of a create and a list at each point, as JSON lines.
import { chmodSync } from "node:fs";
import { StoreFailure } from "../../src/domain/failure.ts";
import { openStore } from "../../src/stores/open.ts";

const file = process.argv[2] as string;
const store = await openStore(`sqlite:${file}`, Date.now);

async function tell(name: string): Promise<void> {
  const created = await store.addAnimal({ name, categoryId: 1n, status: "available" }).then(
    () => "stored",
    (error) => (error instanceof StoreFailure ? error.code : String(error)),
  );
  const { items: animals } = await store.listAnimals({ status: undefined, after: 0n, limit: 100 });
  console.log(JSON.stringify({ created, listed: animals.map(({ name }) => name) }));
}

function setMode(mode: number): void {
  for (const suffix of ["", "-wal", "-shm"]) chmodSync(file + suffix, mode);
}

setMode(0o400);
await tell("refused");
await tell("refused again");
setMode(0o600);
await tell("stored");
setMode(0o400);
// The writer has its file by now, and keeps it, as any program does.
await tell("stored too");
await store.close();
