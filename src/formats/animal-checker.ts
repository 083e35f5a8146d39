import type { NewAnimal } from "../domain/animal.ts";
import { newAnimalSchema } from "../domain/animal-schemas.ts";
import type { IncomingAnimal } from "../domain/transfer.ts";
import type { RowCheck } from "./layout.ts";
import { rowChecker } from "./row-checker.ts";
import type { IdChoice } from "./row-ids.ts";

/** Checks rows by the rules of the interface. */
export function animalChecker(choice: IdChoice): RowCheck<IncomingAnimal> {
  return rowChecker<NewAnimal, IncomingAnimal>(choice, newAnimalSchema, (animal) => animal);
}
