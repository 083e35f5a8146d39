/** @jsxImportSource preact */
import { SCROLLS } from "../../parts/scrolls.ts";
import { AnimalName } from "../animal-name.tsx";
import type { AnimalRow, Column } from "./animal-file.ts";
import { countOf } from "./count.ts";
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
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {good.slice(0, ROWS_MAX).map(({ line, fields }) => (
                <tr key={line}>
                  {fields.map((field, at) => (
                    <td key={columns[at]}>
                      <AnimalName name={field} class="clamped" />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
      {bad.length > 0 ? (
        <RowFaults
          title={`${countOf(bad.length, "row")} will not be sent`}
          faults={bad.map((row) => ({ row, why: row.fault }))}
        />
      ) : null}
    </>
  );
}
