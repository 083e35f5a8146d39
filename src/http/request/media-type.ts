const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
/** `media-type` (RFC 9110, section 8.3.1); a semicolon may stand without a parameter. */
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})(?:[ \t]*;(?:[ \t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*[ \t]*$`,
);
const PARAMETER = new RegExp(`;[ \t]*(${TOKEN})=(${TOKEN}|${QUOTED})`, "g");

/** Whether a `Content-Type` is one of these JSON types, in UTF-8. Other parameters have no meaning (RFC 8259). */
export function isSupported(type: string, supported: readonly string[]): boolean {
  if (supported.includes(type)) return true;
  const essence = MEDIA_TYPE.exec(type)?.[1]?.toLowerCase();
  if (essence === undefined || !supported.includes(essence)) return false;
  for (const [, name, value] of type.matchAll(PARAMETER)) {
    if (name?.toLowerCase() !== "charset") continue;
    const charset = value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
    if (charset?.toLowerCase() !== "utf-8") return false;
  }
  return true;
}

/** Whether a `Content-Encoding` leaves the body as it is; the list may have empty elements (RFC 9110, section 5.6.1). */
export function isIdentity(coding: string): boolean {
  return coding.split(",").every((each) => /^(?:identity)?$/i.test(each.trim()));
}
