import type { NewAnimal } from "../domain/animal.ts";
import type { Idempotency } from "../domain/idempotency.ts";
import type { Revision } from "../domain/revision.ts";
import type { Added } from "../domain/store.ts";

/** An animal to add. */
export interface Create {
  readonly animal: NewAnimal;
  readonly idempotency: Idempotency | undefined;
  /** If given, the create fails if the API keys have changed since this revision. */
  readonly ifKeysAt: Revision | undefined;
}

/**
 * An engine's outcome of one create: the animal's id (`replayed` if an earlier create with the same `Idempotency-Key` added
 * it), `reused` if that key was used with other content, or why the engine refused the row.
 */
export type CreateOutcome =
  | { readonly id: bigint; readonly replayed?: boolean | undefined }
  | { readonly reused: true }
  | { readonly refused: string };

/** The result of each create, or the error that it rejects with. */
export function resultsOf(
  creates: readonly Create[],
  outcomes: readonly (CreateOutcome | Error)[],
): (Added | Error)[] {
  return creates.map((create, at) => resultOf(create, outcomes[at]));
}

function resultOf(create: Create, outcome: CreateOutcome | Error | undefined): Added | Error {
  if (outcome instanceof Error) return outcome;
  if (outcome && "id" in outcome) {
    const animal = { id: outcome.id, ...create.animal };
    return outcome.replayed ? { replayed: animal } : animal;
  }
  if (outcome && "reused" in outcome) return "key_reused";
  return new Error(`the store refused an animal: ${outcome?.refused}`);
}
