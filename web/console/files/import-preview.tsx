/** @jsxImportSource preact */
import { SCROLLS } from "../../parts/scrolls.ts";
import { AnimalName } from "../animal-name.tsx";
import { LABELS, MEMBER_NAMES, type MemberName } from "../members.ts";
import { DEFAULTS } from "../offers.ts";
import { StatusLabel } from "../status-label.tsx";
import type { AnimalRow, Column } from "./animal-file.ts";
import { countOf, grouped } from "./count.ts";
import { inOrder } from "./import-run.ts";
import { RowFaults } from "./row-faults.tsx";

/** Rows that are shown of a file. */
const ROWS_MAX = 5;

/** A file that was read. */
export interface Chosen {
  readonly name: string;
  readonly header: string;
  readonly columns: readonly Column[];
  readonly rows: readonly AnimalRow[];
  /** How many lines are remarks of an earlier import. */
  readonly remarks: number;
}

/** What is in a file before anything is sent: how many animals, its first rows, and what is wrong. */
export function ImportPreview({ chosen: { columns, rows, remarks } }: { chosen: Chosen }) {
  const good = rows.filter(({ fault }) => !fault);
  const bad = rows.filter(({ fault }) => fault);
  // The animals as they will be: the service gives each an id of its own, and a status to those that lack it.
  const shown = MEMBER_NAMES.filter((name) => columns.includes(name) || DEFAULTS[name]);
  const skipped =
    remarks === 0
      ? ""
      : remarks === 1
        ? " The line that begins with “# line” is skipped."
        : ` The ${remarks} lines that begin with “# line” are skipped.`;
  return (
    <>
      <p role="status">
        The file has {countOf(good.length)}
        {bad.length > 0 ? ` that can be added, and ${countOf(bad.length, "row")} that cannot` : ""}.{skipped}
      </p>
      {good.length > 0 ? (
        <section class="import-preview" aria-label="First rows" {...SCROLLS}>
          <table>
            <thead>
              <tr>
                {shown.map((name) => (
                  <th key={name} scope="col">
                    {LABELS[name]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {good.slice(0, ROWS_MAX).map(({ line, fields }) => (
                <tr key={line}>
                  {shown.map((name) => (
                    <td key={name}>
                      <Value name={name} text={fields[columns.indexOf(name)] ?? ""} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {good.length > ROWS_MAX ? <p class="hint">and {grouped(good.length - ROWS_MAX)} more</p> : null}
        </section>
      ) : null}
      {bad.length > 0 ? (
        <RowFaults title={`${countOf(bad.length, "row")} will not be sent`} faults={inOrder(bad, [])} />
      ) : null}
    </>
  );
}

/** A member as it will be, from its field in the file. */
function Value({ name, text }: { name: MemberName; text: string }) {
  const whenLeftOut = DEFAULTS[name];
  const shown = text || whenLeftOut || "";
  return (
    <>
      {name === "status" ? <StatusLabel status={shown} /> : <AnimalName name={shown} class="clamped" />}
      {whenLeftOut && text === "" ? (
        <>
          {" "}
          <span class="hint">by default</span>
        </>
      ) : null}
    </>
  );
}
