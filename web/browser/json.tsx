/** @jsxImportSource preact */
import { layOut } from "../model/exact-json.ts";
import { SCROLLS } from "../parts/scrolls.ts";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** JSON laid out and colored. It is never parsed into numbers: each digit is shown as it came. */
export function Json({ text }: { text: string }) {
  const laidOut = layOut(text);
  const parts: (string | preact.JSX.Element)[] = [];
  let end = 0;
  for (const match of laidOut.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(laidOut.slice(end, match.index));
    const kind = string === undefined ? "t-num" : colon === undefined ? "t-str" : "t-var";
    parts.push(<span class={kind}>{string ?? whole}</span>, colon ?? "");
    end = match.index + whole.length;
  }
  parts.push(laidOut.slice(end));
  return (
    <pre {...SCROLLS}>
      <code>{parts}</code>
    </pre>
  );
}
