/** Six bits each: 132 bits. */
const TAG_CHARACTERS = 22;

/** The content codings that a response may have, the preferred one first. */
export const CONTENT_CODINGS = ["zstd", "br", "gzip"] as const;

export type ContentCoding = (typeof CONTENT_CODINGS)[number];

/**
 * A strong entity tag (RFC 9110, section 8.8.3) of everything that makes up a representation. Clients choose names, so the
 * hash is cryptographic: nobody can search for two pages with the same tag.
 */
export function entityTag(representation: string): string {
  return `"${Bun.CryptoHasher.hash("sha256", representation, "base64url").slice(0, TAG_CHARACTERS)}"`;
}

/** The tag of a representation under a content coding: its bytes differ, so its strong tag does too. */
export function tagUnder(coding: ContentCoding, tag: string): string {
  return tag.replace(/"$/, `-${coding}"`);
}

/** A list may have empty elements (RFC 9110, section 5.6.1.2). */
const TAG_LIST = /^[\s,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,[\s,]*|$))+$/;
const TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;
const MARKED_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * Whether an `If-None-Match` names a tag, by weak comparison (RFC 9110, section 13.1.2). A malformed field names none: the
 * full response is always right.
 */
export function matchesTag(condition: string, tag: string): boolean {
  if (condition.trim() === "*") return true;
  return TAG_LIST.test(condition) && condition.matchAll(TAG).some(([named]) => named === tag);
}

/**
 * The tags that an `If-Match` can match: a weak tag never matches in the strong comparison, so it is left out (RFC 9110,
 * section 13.1.1). Returns `"*"` for any tag, and `undefined` if the field is malformed.
 */
export function strongTags(condition: string): readonly string[] | "*" | undefined {
  if (condition.trim() === "*") return "*";
  if (!TAG_LIST.test(condition)) return undefined;
  return (condition.match(MARKED_TAG) ?? []).filter((tag) => !tag.startsWith("W/"));
}
