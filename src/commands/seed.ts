import { animals, counted, idRange, parseCount, parseSeed } from "../cli/counts.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { CommandFailure } from "../process/errors.ts";
import { deliverSignals, Interruption } from "../process/on-signal.ts";
import { inventAnimals, inventOrders } from "./seed/sample-animals.ts";

const CHUNK = 5000;

/** `animal-store seed`: adds sample animals and their orders, to try things with. */
export async function addSamples(options: Options): Promise<void> {
  const command = new StoreCommand(options);
  const { output, storeName } = command;
  const given = (options.count ?? options.animals) as string | undefined;
  if (given === undefined) throw new CommandFailure("required option '--count <animals>' not specified", 2);
  const count = parseCount(given, "--count");
  const seed = parseSeed(options.seed as string);
  const invented = inventAnimals(seed);
  using interruption = new Interruption(`Nothing was added to ${storeName}.`);
  await using store = await command.open("write");
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
  interruption.outcome = `Either all ${animals(count)} are in ${storeName}, or none.`;
  let orders = 0;
  const { firstId, lastId } = await staging.publish({
    digest: undefined,
    commitEvery: Number.MAX_SAFE_INTEGER,
    onProgress: (done) => progress.update(done),
    *orders(firstId) {
      const inventedOrders = inventOrders(seed, count, firstId);
      for (let chunk = take(inventedOrders, CHUNK); chunk.length > 0; chunk = take(inventedOrders, CHUNK)) {
        orders += chunk.length;
        yield chunk;
      }
    },
  });
  interruption.outcome = `All ${animals(count)} were added to ${storeName}.`;
  await deliverSignals();
  progress[Symbol.dispose]();
  await output.report(
    { store: storeName, animals: count, orders, firstId, lastId },
    `Added ${animals(count)} to ${storeName}, ${idRange(firstId, lastId)}, with ${counted(orders, "order")}.`,
  );
}

/** Takes the next items, fewer if none are left. `Iterator.take` would end the generator. */
function take<Item>(invented: Iterator<Item>, count: number): Item[] {
  const taken: Item[] = [];
  while (taken.length < count) {
    const { done, value } = invented.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}
