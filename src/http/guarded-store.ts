import type { Revision } from "../domain/revision.ts";
import type { AnimalStore } from "../domain/store.ts";

/** A store that adds animals only while the API keys are what they were at a revision. */
export function guardedStore(store: AnimalStore, keysAsOf: Revision): AnimalStore {
  return {
    listAnimals: (query) => store.listAnimals(query),
    findAnimal: (id) => store.findAnimal(id),
    addAnimal: (animal, retry) => store.addAnimal(animal, retry, keysAsOf),
  };
}
