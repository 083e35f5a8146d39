import { isOffered, type Stability } from "../domain/stability.ts";
import { createPet } from "./create-pet.ts";
import { getPet } from "./get-pet.ts";
import { listPets } from "./list-pets.ts";
import type { Operation } from "./operation.ts";

/** Every operation there is. A new one is a file beside this and a line here. */
export const CATALOGUE: readonly Operation[] = [listPets, createPet, getPet];

/** The operations of a service that offers nothing less stable than `least`. */
export function operationsOffered(least: Stability): Operation[] {
  return CATALOGUE.filter(({ stability }) => isOffered(stability, least));
}
