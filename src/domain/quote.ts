/** Characters after which a longer text is cut: a message stays a message. */
const QUOTE_MAX = 100;

/** What a terminal or a log would obey or hide: control and format characters, line ends, unpaired surrogates. */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Quotes a client's text in a message: in backticks, cut after 100 characters, unshowable characters as JSON escapes.
 * Double quotes would need escapes themselves, which some client generators write into their code unescaped.
 */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * QUOTE_MAX + 2));
  const shown = characters.length > QUOTE_MAX ? `${characters.slice(0, QUOTE_MAX).join("")}…` : text;
  return `\`${shown.replace(UNSHOWABLE, escapeUnits)}\``;
}

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
