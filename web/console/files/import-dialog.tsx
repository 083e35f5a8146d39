/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { MEMBER_NAMES, MEMBERS } from "../members.ts";
import type { Service } from "../service.ts";
import { readAnimalFile, UnreadableFile } from "./animal-file.ts";
import { countOf } from "./count.ts";
import { download } from "./download.ts";
import { type Chosen, ImportPreview } from "./import-preview.tsx";
import { ImportReport, ImportState } from "./import-report.tsx";
import { type ImportEnd, type ImportProgress, ImportRun, rejectsFile } from "./import-run.ts";
import { timeLeft } from "./time-left.ts";
import { useDroppedFile } from "./use-dropped-file.ts";

export interface ImportProps {
  readonly service: Pick<Service, "call">;
  /** The file that was dropped on the console. */
  readonly dropped?: File | undefined;
  readonly onAdded: () => void;
  readonly onForbidden: (message: string) => void;
  readonly onClose: () => void;
}

const NOTHING_YET: ImportProgress = { added: 0, refused: [], waiting: "" };

/**
 * Adds the animals of a CSV file, each by a request of its own. It can be stopped and continued, and goes on in a corner
 * while a person works. The Escape key stops a run before it closes the dialog: the report says which rows were added, and
 * nothing else does.
 */
export function ImportDialog({ service, dropped, onAdded, onForbidden, onClose }: ImportProps) {
  const [chosen, setChosen] = useState<Chosen>();
  const [fault, setFault] = useState("");
  const [run, setRun] = useState<ImportRun>();
  const [progress, setProgress] = useState(NOTHING_YET);
  const [end, setEnd] = useState<ImportEnd>();
  const [isInCorner, setInCorner] = useState(false);
  const running = useRef<AbortController>(undefined);
  const begun = useRef({ at: 0, settled: 0 });
  const latest = useRef<File>(undefined);

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
  useEffect(() => {
    if (dropped) void choose(dropped);
    return () => running.current?.abort();
  }, []);
  useDroppedFile((file) => run === undefined && choose(file));
  const isRunning = run !== undefined && !end;
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isRunning]);

  const go = async (current: ImportRun) => {
    const controller = new AbortController();
    running.current = controller;
    begun.current = { at: performance.now(), settled: current.settled };
    setRun(current);
    setEnd(undefined);
    const ended = await current.run(controller.signal, setProgress);
    setEnd(ended);
    onAdded();
    if (ended.kind === "forbidden") onForbidden(ended.message);
  };
  const stop = () => running.current?.abort();
  const rest = end && run ? run.rest : [];
  const readable = chosen?.rows.filter(({ fault }) => !fault).length ?? 0;
  const settled = run?.settled ?? 0;
  const seconds = (performance.now() - begun.current.at) / 1000;
  const state = {
    total: readable,
    progress,
    end,
    timeLeft: timeLeft(settled - begun.current.settled, readable - settled, seconds),
  };
  if (isInCorner)
    return (
      <section class="import-corner" aria-label="Import">
        <ImportState {...state} />
        <p class="dialog-actions">
          <button type="button" class="button small" onClick={() => setInCorner(false)}>
            {end ? "Report" : "Details"}
          </button>
          <button type="button" class="button small" onClick={isRunning ? stop : onClose}>
            {isRunning ? "Stop" : "Close"}
          </button>
        </p>
      </section>
    );
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
          {chosen ? (
            <ImportPreview chosen={chosen} />
          ) : (
            <p class="hint" id="import-hint">
              Or drop a file anywhere. Its first line names the columns: <Columns are="required" />, and if
              you like <Columns are="optional" />. Each row is added by a request of its own and gets a new
              id; an <code>id</code> in the file is ignored. For a large file or to keep ids, the operator has{" "}
              <code>animal-store import</code>.
            </p>
          )}
          <p class="fault" role="alert">
            {fault}
          </p>
        </>
      ) : (
        <ImportReport {...state} />
      )}
      <p class="dialog-actions">
        {end && chosen && progress.refused.length + rest.length > 0 ? (
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
          <>
            <button type="button" class="button" onClick={() => setInCorner(true)}>
              Work on meanwhile
            </button>
            <button type="button" class="button" onClick={stop}>
              Stop
            </button>
          </>
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
            Import {countOf(readable)}
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
