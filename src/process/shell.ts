/** Quotes a word for a shell: letters, digits and `_ . / : @ -` need no quotes. */
export function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : inQuotes(text);
}

/** Puts a word for a shell in quotes. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
