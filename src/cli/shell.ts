/** Quotes a word for a shell: letters, digits and `_ . / : @ -` need no quotes. */
export function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
