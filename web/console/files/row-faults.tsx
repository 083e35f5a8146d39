/** @jsxImportSource preact */
import { SCROLLS } from "../../parts/scrolls.ts";
import { AnimalName } from "../animal-name.tsx";
import { Message } from "../message.tsx";
import { grouped } from "./count.ts";
import type { RefusedRow } from "./import-run.ts";

/** Rows that are shown; the file to download has all. */
const SHOWN_MAX = 100;
/** Units of a row's text, of which its line shows the beginning. */
const TEXT_MAX = 120;

/** Rows of a file with what is wrong with each. */
export function RowFaults({ title, faults }: { title: string; faults: readonly RefusedRow[] }) {
  return (
    <section class="import-refused" aria-label={title} {...SCROLLS}>
      <h3>{title}</h3>
      <ul>
        {faults.slice(0, SHOWN_MAX).map(({ item: { line, text }, why }) => (
          <li key={line}>
            Line {grouped(line)}: <Message text={why} />
            <code class="import-row">
              <AnimalName name={text.slice(0, TEXT_MAX).replace(/[\ud800-\udbff]$/, "")} />
            </code>
          </li>
        ))}
      </ul>
      {faults.length > SHOWN_MAX ? <p class="hint">and {grouped(faults.length - SHOWN_MAX)} more</p> : null}
    </section>
  );
}
