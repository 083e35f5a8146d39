import type { Animal, NewAnimal } from "../domain/animal.ts";
import type { Idempotency } from "../domain/idempotency.ts";
import type { Revision } from "../domain/revision.ts";
import { type Added, KeysChanged } from "../domain/store.ts";

/** An animal to add, and what makes that safe to retry, if anything. */
export interface Create {
  readonly animal: NewAnimal;
  readonly idempotency: Idempotency | undefined;
  /** The revision that the keys must not have passed, if that matters. */
  readonly ifKeysAt: Revision | undefined;
}

/**
 * What an engine reports of one create: its id (`replayed` where an earlier create with its key added the animal), that
 * its key was used with other content, that the API keys have changed, or why the engine refused it.
 */
export type CreateOutcome =
  | { readonly id: bigint; readonly replayed?: boolean | undefined }
  | { readonly reused: true }
  | { readonly keysChanged: true }
  | { readonly refused: string };

/** What a create comes to, given the id of its animal. */
export function added({ animal: { name, categoryId, status } }: Create, id: bigint): Animal {
  return { id, name, categoryId, status };
}

/** What each create comes to, given its outcome. */
export function resultsOf(creates: readonly Create[], outcomes: readonly CreateOutcome[]): (Added | Error)[] {
  return creates.map((create, at) => resultOf(create, outcomes[at]));
}

function resultOf(create: Create, outcome: CreateOutcome | undefined): Added | Error {
  if (outcome && "id" in outcome) {
    const animal = added(create, outcome.id);
    return outcome.replayed ? { replayed: animal } : animal;
  }
  if (outcome && "reused" in outcome) return "key_reused";
  if (outcome && "keysChanged" in outcome) return new KeysChanged();
  return new Error(`the store refused an animal: ${outcome?.refused}`);
}
