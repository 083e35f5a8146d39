import { type Animal, createPet } from "../../client/contract.ts";
import { randomId } from "../../client/request.ts";
import type { CallResponse } from "../browser/call.ts";
import { refusalOf } from "../browser/refusal.ts";
import { resultOf } from "./result.ts";
import type { Service } from "./service.ts";

/**
 * An attempt to add one animal, which may take several requests. They share an `Idempotency-Key`, also if the animal is
 * changed in between, so the service adds at most one of them.
 */
export interface AddAttempt {
  readonly key: string;
  /** The bodies of requests whose outcome is unknown. */
  readonly unknown: readonly string[];
}

/** What became of a request. */
type AddOutcome =
  /** The service added the animal, now or by an earlier request with the same content. */
  | { readonly kind: "added"; readonly animal: Animal }
  /** An earlier request with other content had added an animal; this one added none. */
  | { readonly kind: "added before"; readonly animal: Animal }
  /** The service may or may not have added the animal. */
  | { readonly kind: "unknown"; readonly response: CallResponse | undefined }
  | { readonly kind: "refused"; readonly response: CallResponse };

export function newAttempt(): AddAttempt {
  return { key: randomId(), unknown: [] };
}

/** Adds an animal, or finds out that an earlier request of the attempt has. */
export async function addAnimal(service: Service, attempt: AddAttempt, body: string): Promise<AddOutcome> {
  const response = await post(service, attempt.key, body);
  const animal = resultOf(response, createPet);
  if (animal) return { kind: "added", animal };
  if (!response || response.status >= 500) return { kind: "unknown", response };
  if (refusalOf(response).code !== "idempotency_key_reused") return { kind: "refused", response };
  // The key belongs to the content of an earlier request, which gets the first response again.
  for (const earlier of attempt.unknown) {
    const replayed = await post(service, attempt.key, earlier);
    const before = resultOf(replayed, createPet);
    if (before) return { kind: "added before", animal: before };
    if (!replayed || replayed.status >= 500) return { kind: "unknown", response: replayed };
  }
  return { kind: "refused", response };
}

async function post(service: Service, key: string, body: string): Promise<CallResponse | undefined> {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
  return (await service.call({ method: "POST", path: "/pets", headers, body })).response;
}
