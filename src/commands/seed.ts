import { animals, idRange, parseCount } from "../cli/counts.ts";
import { CommandFailure } from "../cli/errors.ts";
import { deliverSignals, Interruption } from "../cli/on-signal.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import { inventAnimals } from "../cli/sample-animals.ts";
import type { NewAnimal } from "../domain/animal.ts";
import { openBulkStore } from "../stores/open-bulk.ts";
import { storeName } from "../stores/url.ts";

const CHUNK = 5000;

/** `animal-store seed`: made-up animals to try things with. */
export async function seed(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const count = parseCount(options.count as string, "--count");
  const invented = inventAnimals(readSeed(options.seed as string));
  const output = new Output(options);
  const name = storeName(config.DATABASE_URL);
  using interruption = new Interruption(`Nothing was added to ${name}.`);
  const store = await openBulkStore(config.DATABASE_URL, "write", Date.now, reportWaiting(output));
  try {
    await using staging = await store.stage();
    {
      using progress = output.progress("invent", "animals", count);
      for (let done = 0; done < count; done += CHUNK) {
        await staging.add(take(invented, Math.min(CHUNK, count - done)));
        progress.update(done);
        await deliverSignals();
      }
    }
    using progress = output.progress("publish", "animals", count);
    interruption.outcome = `Either all ${animals(count)} are in ${name}, or none.`;
    const { firstId, lastId } = await staging.publish({
      digest: undefined,
      commitEvery: Number.MAX_SAFE_INTEGER,
      onProgress: (done) => progress.update(done),
    });
    interruption.outcome = `All ${animals(count)} were added to ${name}.`;
    await deliverSignals();
    progress[Symbol.dispose]();
    await output.report(
      { store: name, animals: count, firstId, lastId },
      `Added ${animals(count)} to ${name}, ${idRange(firstId, lastId)}.`,
    );
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
