/** @jsxImportSource preact */
/** HTML that the server made of our own Markdown or of code. Only the server renders this. */
export function Html({ html, class: name }: { html: string; class?: string }) {
  return <div class={name} dangerouslySetInnerHTML={{ __html: html }} />;
}
