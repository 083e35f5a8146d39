/** @jsxImportSource preact */
import { asCurl, type Call } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { SCROLLS } from "../parts/scrolls.ts";

/** A request as a command for a terminal. */
export function CurlLine({ title, call }: { title: string; call: Call }) {
  return (
    <>
      <h3>{title}</h3>
      <div class="code">
        <pre {...SCROLLS} data-language="sh">
          <code>{asCurl(call)}</code>
        </pre>
        <CopyButton text={() => asCurl(call)} />
      </div>
    </>
  );
}
