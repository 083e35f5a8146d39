/** @jsxImportSource preact */
import { SCROLLS } from "../../parts/scrolls.ts";
import { Message } from "../message.tsx";
import { grouped } from "./count.ts";
import type { RefusedRow } from "./import-run.ts";

/** Rows that are shown; the file to download has all. */
const SHOWN_MAX = 100;

/** Rows of a file with what is wrong with each, by their lines. */
export function RowFaults({ title, faults }: { title: string; faults: readonly RefusedRow[] }) {
  return (
    <section class="import-refused" aria-label={title} {...SCROLLS}>
      <h3>{title}</h3>
      <ul>
        {faults.slice(0, SHOWN_MAX).map(({ row, why }) => (
          <li key={row.line}>
            Line {grouped(row.line)}: <Message text={why} />
          </li>
        ))}
      </ul>
    </section>
  );
}
