/** @jsxImportSource preact */
import { linkFrom } from "../parts/links.ts";

/** Says on the console of a sandbox what it is, and where to control it. */
export function SandboxNotice({ page }: { page: string }) {
  return (
    <aside class="sandbox-notice" aria-label="Sandbox">
      This is a sandbox, and no place for real data.{" "}
      <a href={linkFrom("/", page)}>API keys, faults, clock and journal</a>
    </aside>
  );
}
