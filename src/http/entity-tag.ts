const TAG_BYTES = 16;

/** A strong entity tag (RFC 9110, section 8.8.3) of everything that makes up a representation. */
export function entityTag(...parts: readonly (string | Uint8Array)[]): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const part of parts) hasher.update(part);
  return `"${hasher.digest().subarray(0, TAG_BYTES).toString("base64url")}"`;
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
