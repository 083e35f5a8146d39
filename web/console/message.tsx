/** @jsxImportSource preact */

/** A message of the service: text in backticks is code. */
export function Message({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}
