/** A quoted text is cut after this many characters. */
const QUOTE_MAX = 100;

/** Characters that a terminal or a log would obey or hide: control, format, line ends, unpaired surrogates. */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const UNSHOWABLE_IN_LINES = /(?!\r?\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Quotes a client's text for a message: in backticks, cut after 100 characters, with unprintable characters as JSON escapes.
 * Double quotes would have to be escaped, and some client generators copy a message into their code without doing so.
 */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * QUOTE_MAX + 2));
  const shown = characters.length > QUOTE_MAX ? `${characters.slice(0, QUOTE_MAX).join("")}…` : text;
  return `\`${shown.replace(UNSHOWABLE, escapeUnits)}\``;
}

/**
 * A text for a terminal: unprintable characters, which may come from a file or a client, are shown as JSON escapes. Line
 * ends stay.
 */
export function showable(text: string): string {
  return text.replace(UNSHOWABLE_IN_LINES, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
