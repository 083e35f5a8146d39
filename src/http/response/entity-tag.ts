/** Of six bits each: 132. */
const TAG_CHARACTERS = 22;

/**
 * A strong entity tag (RFC 9110, section 8.8.3) of all that makes up a representation. Its hash is a
 * cryptographic one, since clients choose the names: two pages with one tag must not be found by search.
 */
export function entityTag(representation: string): string {
  return `"${Bun.CryptoHasher.hash("sha256", representation, "base64url").slice(0, TAG_CHARACTERS)}"`;
}

/** A list may have empty elements (RFC 9110, section 5.6.1.2). */
const TAG_LIST = /^[\s,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,[\s,]*|$))+$/;
const TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether an `If-None-Match` names a tag, by weak comparison (RFC 9110, section 13.1.2). A field that
 * is not of the standard's form names none: the full answer is always right.
 */
export function matchesTag(condition: string, tag: string): boolean {
  if (condition.trim() === "*") return true;
  return TAG_LIST.test(condition) && condition.matchAll(TAG).some(([named]) => named === tag);
}
