/** Six bits each: 132 bits. */
const TAG_CHARACTERS = 22;

/**
 * A strong entity tag (RFC 9110, section 8.8.3) of everything that makes up a representation. Clients choose names, so the
 * hash is cryptographic: nobody can search for two pages with the same tag.
 */
export function entityTag(representation: string): string {
  return `"${Bun.CryptoHasher.hash("sha256", representation, "base64url").slice(0, TAG_CHARACTERS)}"`;
}

/** A list may have empty elements (RFC 9110, section 5.6.1.2). */
const TAG_LIST = /^[\s,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,[\s,]*|$))+$/;
const TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether an `If-None-Match` names a tag, by weak comparison (RFC 9110, section 13.1.2). A malformed field names none: the
 * full response is always right.
 */
export function matchesTag(condition: string, tag: string): boolean {
  if (condition.trim() === "*") return true;
  return TAG_LIST.test(condition) && condition.matchAll(TAG).some(([named]) => named === tag);
}
