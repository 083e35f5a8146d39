import type { NewAnimal } from "../domain/animal.ts";
import { openBulkStore } from "../stores/open-bulk.ts";
import { animals, parseCount } from "./animal-file.ts";
import { CommandFailure } from "./failure.ts";
import { explain } from "./print.ts";
import { startProgress } from "./progress.ts";
import { reportWaiting } from "./report-waiting.ts";
import { inventAnimals } from "./seed-animals.ts";
import { configOf } from "./settings-options.ts";

const CHUNK = 5000;

/** `animal-store seed`: made-up animals to try things with. */
export async function seed(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const count = parseCount(options.count as string, "--count");
  const invented = inventAnimals(readSeed(options.seed as string));
  const store = await openBulkStore(config.DATABASE_URL, "write", Date.now, reportWaiting);
  try {
    await using staging = await store.stage();
    {
      using progress = startProgress("invent", "animals", count);
      for (let done = 0; done < count; done += CHUNK) {
        await staging.add(take(invented, Math.min(CHUNK, count - done)));
        progress.update(done);
      }
    }
    using progress = startProgress("publish", "animals", count);
    const { firstId, lastId } = await staging.publish({
      digest: undefined,
      // Made-up animals need not come all at once.
      commitEvery: staging.unnoticed,
      onProgress: (done) => progress.update(done),
    });
    progress[Symbol.dispose]();
    await explain(`Added ${animals(count)}, ids ${firstId} to ${lastId}.`);
  } finally {
    await store.close();
  }
}

function take(invented: Iterator<NewAnimal>, count: number): NewAnimal[] {
  return Array.from({ length: count }, () => invented.next().value as NewAnimal);
}

function readSeed(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new CommandFailure(
    `--seed is ${JSON.stringify(text)}; it must be a whole number below a billion.`,
    2,
  );
}
