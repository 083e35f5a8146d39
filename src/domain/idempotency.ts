import type { NewAnimal } from "./animal.ts";
import type { NewOrder } from "./order.ts";

/** How long an `Idempotency-Key` is kept, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;

/** Makes a request safe to retry: a key that the client chose, and a digest of the content. */
export interface Idempotency {
  /** The line of API keys that the idempotency key belongs to. */
  readonly line: number;
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** SHA-256 of the content, in hexadecimal. */
  readonly digest: string;
}

/** Printable ASCII. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Whether a header value is one `Idempotency-Key`. The runtime joins repeated fields with a comma and a space, as RFC 9110
 * (section 5.3) allows. A value that contains ", " may be two keys, so it is refused. A comma alone belongs to the key.
 */
export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text) && !text.includes(", ");
}

/**
 * Digests the values of a create, however its JSON was written. The members of the first release have positions. Any later
 * member counts with its name, and only where the animal has it: an animal without it keeps the digest that it had before
 * the member existed, so that a retry across an upgrade still finds the first response.
 */
export function digestOf({ name, categoryId, status, ...later }: NewAnimal): string {
  return digest([name, categoryId.toString(), status, ...given(later)]);
}

/**
 * Digests the content of an order, and its later members as `digestOf` does. No create has the same digest, so a key cannot be
 * used for both.
 */
export function digestOfOrder({ petId, ...later }: NewOrder): string {
  return digest(["placeOrder", petId.toString(), ...given(later)]);
}

/** The members that an item has, each with its name. */
function given(later: object): string[] {
  return Object.entries(later)
    .flatMap(([member, value]) => (value === undefined ? [] : [`${member}=${value}`]))
    .sort();
}

function digest(content: readonly string[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(content)).digest("hex");
}
