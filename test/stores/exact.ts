import type { Animal, ReadAnimal } from "../../src/domain/animal.ts";
import type { Page } from "../../src/domain/page.ts";

/** An animal that was read, as it was added: a store may give numbers where those are exact. */
export function exact(animal: ReadAnimal): Animal {
  return { ...animal, id: exactly(animal.id), categoryId: exactly(animal.categoryId) };
}

export function exactPage({ items, more }: Page<ReadAnimal>): Page<Animal> {
  return { items: items.map(exact), more };
}

function exactly(integer: bigint | number): bigint {
  if (typeof integer === "number" && !Number.isSafeInteger(integer))
    throw new Error(`${integer} is not exact`);
  return BigInt(integer);
}
