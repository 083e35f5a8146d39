import type { NewAnimal } from "./animal.ts";

/** How long an `Idempotency-Key` is kept, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;

/** Makes a request safe to retry: the client's own name for it, and a digest of its content. */
export interface Idempotency {
  /** The line of API keys that it belongs to. */
  readonly line: number;
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** SHA-256 of the content, in hexadecimal. */
  readonly digest: string;
}

/** Printable ASCII, as the header may hold it. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Whether a header is one `Idempotency-Key`. HTTP lets a recipient join two fields with a comma and a space (RFC 9110,
 * section 5.3), and the runtime does: a value with both may be two keys, so it is refused. A lone comma belongs to a key.
 */
export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text) && !text.includes(", ");
}

/** Digests the content of a create by its meaning: how the JSON was written does not matter. */
export function digestOf({ name, categoryId, status }: NewAnimal): string {
  return digest([name, categoryId.toString(), status]);
}

/** Digests the content of an order. It equals the digest of no create, so a key works for one of the two. */
export function digestOfOrder(petId: bigint): string {
  return digest(["placeOrder", petId.toString()]);
}

function digest(content: readonly string[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(content)).digest("hex");
}
