// A program of its own for read-only.test.ts, since root has to be held to file modes from outside:
// opens a store, takes the right to write away before its writer looks, gives it back, and tells what came
// of a create and a list at each point, as JSON lines.
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
