/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { SCROLLS } from "../../parts/scrolls.ts";
import { Dialog } from "../dialog.tsx";
import { MEMBER_NAMES, MEMBERS } from "../members.ts";
import { Message } from "../message.tsx";
import type { Service } from "../service.ts";
import { type AnimalRow, readAnimalFile, UnreadableFile } from "./animal-file.ts";
import { download } from "./download.ts";
import { type ImportEnd, type ImportProgress, ImportRun, rejectsFile } from "./import-run.ts";

/** Refused rows that are shown; the file to download has all. */
const SHOWN_MAX = 100;

export interface ImportProps {
  readonly service: Pick<Service, "call">;
  readonly onAdded: () => void;
  readonly onForbidden: (message: string) => void;
  readonly onClose: () => void;
}

interface Chosen {
  readonly name: string;
  readonly header: string;
  readonly rows: readonly AnimalRow[];
  /** How many lines are remarks of an earlier import. */
  readonly remarks: number;
}

/**
 * Adds the animals of a CSV file, each by a request of its own. It can be stopped and continued. The Escape key stops a run
 * before it closes the dialog: the report says which rows were added, and nothing else does.
 */
export function ImportDialog({ service, onAdded, onForbidden, onClose }: ImportProps) {
  const [chosen, setChosen] = useState<Chosen>();
  const [fault, setFault] = useState("");
  const [run, setRun] = useState<ImportRun>();
  const [progress, setProgress] = useState<ImportProgress>();
  const [end, setEnd] = useState<ImportEnd>();
  const running = useRef<AbortController>(undefined);
  const latest = useRef<File>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const choose = async (file: File | undefined) => {
    latest.current = file;
    setChosen(undefined);
    setFault("");
    if (!file) return;
    try {
      const bytes = await file.arrayBuffer();
      // Another file, chosen meanwhile, may have been read sooner.
      if (latest.current === file) setChosen({ name: file.name, ...readAnimalFile(bytes) });
    } catch (error) {
      if (latest.current !== file) return;
      setFault(error instanceof UnreadableFile ? error.message : "The browser could not read the file.");
    }
  };
  const go = async (current: ImportRun) => {
    const controller = new AbortController();
    running.current = controller;
    setRun(current);
    setEnd(undefined);
    const ended = await current.run(controller.signal, setProgress);
    setEnd(ended);
    onAdded();
    if (ended.kind === "forbidden") onForbidden(ended.message);
  };
  const stop = () => running.current?.abort();
  const isRunning = run !== undefined && !end;
  const rest = end && run ? run.rest : [];
  const readable = chosen?.rows.filter(({ fault }) => !fault).length ?? 0;
  return (
    <Dialog title="Import animals from a CSV file" onClose={onClose} onEscape={isRunning ? stop : undefined}>
      {run === undefined ? (
        <>
          <p>
            <label for="import-file">CSV file</label>
            <input
              id="import-file"
              class="input"
              type="file"
              accept=".csv,text/csv"
              aria-describedby="import-hint"
              onInput={({ currentTarget }) => choose(currentTarget.files?.[0])}
            />
          </p>
          <p class="hint" id="import-hint">
            The first line names the columns: <Columns are="required" />, and if you like{" "}
            <Columns are="optional" />. Each row is added by a request of its own and gets a new id; an{" "}
            <code>id</code> in the file is ignored. For a large file or to keep ids, the operator has{" "}
            <code>animal-store import</code>.
          </p>
          <p class="fault" role="alert">
            {fault}
          </p>
          {chosen ? <p role="status">{summaryOf(chosen, readable)}</p> : null}
        </>
      ) : (
        <ImportReport {...{ run, progress, end }} total={readable} />
      )}
      <p class="dialog-actions">
        {end && chosen && progress && progress.refused.length + rest.length > 0 ? (
          <button
            type="button"
            class="button"
            onClick={() =>
              download(`rejects-${chosen.name}`, rejectsFile(chosen.header, progress.refused, rest))
            }
          >
            Download these rows
          </button>
        ) : null}
        {isRunning ? (
          <button type="button" class="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="button" onClick={onClose}>
            {run ? "Close" : "Cancel"}
          </button>
        )}
        {chosen && !run ? (
          <button
            type="button"
            class="button primary"
            aria-disabled={readable === 0}
            onClick={() => readable > 0 && go(new ImportRun(service, chosen.rows))}
          >
            Import {count(readable)}
          </button>
        ) : null}
        {run && end?.kind === "stopped" ? (
          <button type="button" class="button primary" onClick={() => go(run)}>
            Continue
          </button>
        ) : null}
      </p>
    </Dialog>
  );
}

/** The names of some columns: "`name` and `categoryId`". */
function Columns({ are }: { readonly are: "required" | "optional" }) {
  const names = MEMBER_NAMES.filter(
    (name) => (MEMBERS[name].whenEmpty === undefined) === (are === "optional"),
  );
  const parts = new Intl.ListFormat("en-GB").formatToParts(names);
  return parts.map(({ type, value }) => (type === "element" ? <code key={value}>{value}</code> : value));
}

function summaryOf({ rows, remarks }: Chosen, readable: number): string {
  const bad = rows.length - readable;
  const unread =
    bad === 0 ? "" : ` ${bad === 1 ? "1 row" : `${bad} rows`} cannot be read, and will be in the report.`;
  const skipped =
    remarks === 0
      ? ""
      : remarks === 1
        ? " The line that begins with “# line” is skipped."
        : ` The ${remarks} lines that begin with “# line” are skipped.`;
  return `The file has ${count(readable)}.${unread}${skipped}`;
}

function count(animals: number): string {
  return animals === 1 ? "1 animal" : `${animals} animals`;
}

const ENDS: Readonly<Record<ImportEnd["kind"], string>> = {
  done: "Done.",
  stopped: "Stopped. Continue adds the rest, and none twice.",
  "key refused": "The service no longer knows this key. The rest was not added.",
  forbidden: "This key may not add animals. The rest was not added.",
};

function ImportReport(props: {
  readonly total: number;
  readonly progress: ImportProgress | undefined;
  readonly end: ImportEnd | undefined;
}) {
  const { total, progress = { added: 0, refused: [], waiting: "" }, end } = props;
  const { added, refused, waiting } = progress;
  const sent = added + refused.filter(({ row }) => !row.fault).length;
  return (
    <>
      <progress class="import-progress" value={sent} max={total} aria-label="Rows that were sent" />
      <p role="status">
        {added} of {count(total)} added{end ? `. ${ENDS[end.kind]}` : "…"}
      </p>
      {waiting && !end ? (
        <p class="callout warn">
          <strong>Waiting.</strong> <Message text={waiting} /> The import goes on by itself.
        </p>
      ) : null}
      {refused.length > 0 ? (
        <section class="import-refused" aria-label="Refused rows" {...SCROLLS}>
          <h3>{refused.length === 1 ? "1 row was refused" : `${refused.length} rows were refused`}</h3>
          <ul>
            {refused.slice(0, SHOWN_MAX).map(({ row, why }) => (
              <li key={row.line}>
                Line {row.line}: <Message text={why} />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
