import type { Animal } from "../../domain/animal.ts";
import { isSame } from "../../domain/correction.ts";
import type { CopyTarget, Snapshot } from "../../domain/transfer.ts";
import { deliverSignals } from "../../process/on-signal.ts";

/** How many changes go to the copy at once. */
const CHUNK = 5000;

/**
 * Brings the animals that an interrupted attempt has copied to the source's state: since then, orders and operators may
 * have changed or removed them.
 *
 * @returns how many animals were brought up to date
 */
export async function refreshCopy(
  source: Snapshot,
  copied: Snapshot,
  copyTarget: CopyTarget,
): Promise<number> {
  const changes = new Changes(copyTarget);
  const [originals, copies] = [each(source.animals()), each(copied.animals())];
  let [original, copy] = [await originals.next(), await copies.next()];
  while (!copy.done) {
    if (original.done || original.value.id > copy.value.id) {
      await changes.remove(copy.value.id);
      copy = await copies.next();
    } else if (original.value.id < copy.value.id) {
      await changes.add(original.value);
      original = await originals.next();
    } else {
      if (!isSame(original.value, copy.value)) await changes.change(original.value);
      [original, copy] = [await originals.next(), await copies.next()];
    }
  }
  await changes.flush();
  return changes.count;
}

async function* each(chunks: AsyncIterable<readonly Animal[]>): AsyncGenerator<Animal, undefined> {
  for await (const chunk of chunks) {
    yield* chunk;
    await deliverSignals();
  }
  return undefined;
}

/** Collects changes, and sends them some thousands at a time. */
class Changes {
  readonly #copyTarget: CopyTarget;
  #added: Animal[] = [];
  #changed: Animal[] = [];
  #removed: bigint[] = [];
  count = 0;

  constructor(copyTarget: CopyTarget) {
    this.#copyTarget = copyTarget;
  }

  async add(animal: Animal): Promise<void> {
    this.#added.push(animal);
    await this.#counted();
  }

  async change(animal: Animal): Promise<void> {
    this.#changed.push(animal);
    await this.#counted();
  }

  async remove(id: bigint): Promise<void> {
    this.#removed.push(id);
    await this.#counted();
  }

  async #counted(): Promise<void> {
    if (++this.count % CHUNK === 0) await this.flush();
  }

  async flush(): Promise<void> {
    const [added, changed, removed] = [this.#added, this.#changed, this.#removed];
    [this.#added, this.#changed, this.#removed] = [[], [], []];
    if (added.length > 0) await this.#copyTarget.add(added);
    if (changed.length + removed.length > 0) await this.#copyTarget.replace(changed, removed);
  }
}
