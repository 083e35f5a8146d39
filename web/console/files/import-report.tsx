/** @jsxImportSource preact */
import { Message } from "../message.tsx";
import type { RunEnd } from "../request-run.ts";
import { countOf, grouped } from "./count.ts";
import type { RefusedRow } from "./import-run.ts";
import { RowFaults } from "./row-faults.tsx";

const ENDS: Readonly<Record<RunEnd["kind"], string>> = {
  done: "Done.",
  stopped: "Stopped. Continue adds the rest, and none twice.",
  "key refused": "The service no longer knows this key. The rest was not added.",
  forbidden: "This key may not add animals. The rest was not added.",
};

interface Props {
  readonly total: number;
  readonly added: number;
  /** How many rows the service has added or refused. */
  readonly settled: number;
  readonly end: RunEnd | undefined;
  /** In words. */
  readonly timeLeft: string;
}

/** How far an import has come. */
export function ImportState({ total, added, settled, end, timeLeft }: Props) {
  const note = end ? `. ${ENDS[end.kind]}` : timeLeft ? `, ${timeLeft}` : "…";
  return (
    <>
      <progress class="import-progress" value={settled} max={total} aria-label="Rows that were sent" />
      <p role="status">
        {grouped(added)} of {countOf(total)} added{note}
      </p>
    </>
  );
}

/** How far an import has come, and what was refused. */
export function ImportReport(
  props: Props & {
    /** Why the service is asked again; empty while it answers. */
    readonly waiting: string;
    readonly refused: readonly RefusedRow[];
  },
) {
  const { end, waiting, refused } = props;
  return (
    <>
      <ImportState {...props} />
      {waiting && !end ? (
        <p class="callout warn">
          <strong>Waiting.</strong> <Message text={waiting} /> The import goes on by itself.
        </p>
      ) : null}
      {refused.length > 0 ? (
        <RowFaults
          title={`${countOf(refused.length, "row")} ${refused.length === 1 ? "was" : "were"} not added`}
          faults={refused}
        />
      ) : null}
    </>
  );
}
