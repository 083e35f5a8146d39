/** Characters that XML 1.0 cannot carry, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it is about
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text for an element or an attribute. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(IMPOSSIBLE, "\ufffd")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}
