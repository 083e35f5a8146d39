/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { FIELDS, MEMBER_NAMES } from "../members.ts";
import type { RequestRun, RunEnd, RunProgress } from "../request-run.ts";
import type { Service } from "../service.ts";
import { markStale } from "../stale.ts";
import { useAskBeforeLeaving } from "../use-ask-before-leaving.ts";
import { type AnimalRow, readAnimalFile, UnreadableFile } from "./animal-file.ts";
import { countOf } from "./count.ts";
import { download } from "./download.ts";
import { type Chosen, ImportPreview } from "./import-preview.tsx";
import { ImportReport, ImportState } from "./import-report.tsx";
import { importRun, inOrder, rejectsFile } from "./import-run.ts";
import { timeLeft } from "./time-left.ts";
import { useDroppedFile } from "./use-dropped-file.ts";

export interface ImportProps {
  readonly service: Pick<Service, "call">;
  /** The file that was dropped on the console. */
  readonly dropped?: File | undefined;
  readonly onForbidden: (message: string) => void;
  readonly onClose: () => void;
}

const NOTHING_YET: RunProgress<AnimalRow> = { done: 0, refused: [], waiting: "" };

/** Rows that a person corrects in the dialog. More are easier to correct in a file. */
const CORRECTED_MAX = 100;

/**
 * Adds the animals of a CSV file, each by a request of its own. It can be stopped and continued, and goes on in a corner
 * while a person works. The Escape key stops a run before it closes the dialog: the report says which rows were added, and
 * nothing else does.
 */
export function ImportDialog({ service, dropped, onForbidden, onClose }: ImportProps) {
  const [chosen, setChosen] = useState<Chosen>();
  const [fault, setFault] = useState("");
  /** The rows of a file that a person corrects here. */
  const [corrected, setCorrected] = useState<{ readonly name: string; readonly text: string }>();
  const [run, setRun] = useState<RequestRun<AnimalRow>>();
  const [progress, setProgress] = useState(NOTHING_YET);
  const [end, setEnd] = useState<RunEnd>();
  const [isInCorner, setInCorner] = useState(false);
  const running = useRef<AbortController>(undefined);
  const begun = useRef({ at: 0, settled: 0 });
  const latest = useRef<File>(undefined);

  const read = (name: string, bytes: ArrayBuffer) => {
    try {
      setChosen({ name, ...readAnimalFile(bytes) });
      setFault("");
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      setChosen(undefined);
      setFault(error.message);
    }
  };
  const choose = async (file: File | undefined) => {
    latest.current = file;
    setCorrected(undefined);
    setChosen(undefined);
    setFault("");
    if (!file) return;
    const bytes = await file.arrayBuffer().catch(() => undefined);
    // Another file, chosen meanwhile, may have been read sooner.
    if (latest.current !== file) return;
    if (bytes) read(file.name, bytes);
    else setFault("The browser could not read the file.");
  };
  const correct = (name: string, text: string) => {
    setCorrected({ name, text });
    setRun(undefined);
    setEnd(undefined);
    setProgress(NOTHING_YET);
    read(name, new TextEncoder().encode(text).buffer);
  };
  useEffect(() => {
    if (dropped) void choose(dropped);
    return () => running.current?.abort();
  }, []);
  useDroppedFile((file) => run === undefined && choose(file));
  const isRunning = run !== undefined && !end;
  useAskBeforeLeaving(isRunning);

  const go = async (current: RequestRun<AnimalRow>) => {
    const controller = new AbortController();
    running.current = controller;
    begun.current = { at: performance.now(), settled: current.settled };
    setRun(current);
    setEnd(undefined);
    const ended = await current.run(controller.signal, setProgress);
    setEnd(ended);
    markStale();
    if (ended.kind === "forbidden") onForbidden(ended.message);
  };
  const stop = () => running.current?.abort();
  const rest = end && run ? run.rest : [];
  const readable = chosen?.rows.filter(({ fault }) => !fault).length ?? 0;
  const settled = run?.settled ?? 0;
  const seconds = (performance.now() - begun.current.at) / 1000;
  const refused = inOrder(chosen?.rows ?? [], progress.refused);
  const state = {
    total: readable,
    added: progress.done,
    settled,
    end,
    timeLeft: timeLeft(settled - begun.current.settled, readable - settled, seconds),
  };
  const rejects = () => rejectsFile(chosen?.header ?? "", refused, rest);
  // A text field changes line ends, and so a name that has one. Rows that were not sent are continued, not corrected.
  const isCorrectable =
    end?.kind === "done" &&
    refused.length > 0 &&
    refused.length <= CORRECTED_MAX &&
    refused.every(({ item }) => !item.text.includes("\r"));
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
          {corrected ? (
            <p>
              <label for="import-text">Rows to correct</label>
              <textarea
                id="import-text"
                class="input mono"
                rows={8}
                wrap="off"
                spellcheck={false}
                value={corrected.text}
                onInput={({ currentTarget }) => correct(corrected.name, currentTarget.value)}
              />
            </p>
          ) : (
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
          )}
          {chosen ? (
            <ImportPreview chosen={chosen} />
          ) : corrected ? null : (
            <p class="hint" id="import-hint">
              Or drop a file anywhere. Its first line names the columns: <Columns are="required" />, and if
              you like <Columns are="optional" />. Each row is added by a request of its own and gets a new
              id; an <code>id</code> in the file is ignored. For a large file or to keep ids, the operator has{" "}
              <code>animal-store import</code>.{" "}
              <button
                type="button"
                class="link"
                onClick={() => download("animals.csv", `${MEMBER_NAMES.join(",")}\r\n`)}
              >
                Save a file to fill in
              </button>
            </p>
          )}
          <p class="fault" role="alert">
            {fault}
          </p>
        </>
      ) : (
        <ImportReport {...state} waiting={progress.waiting} refused={refused} />
      )}
      <p class="dialog-actions">
        {end && chosen && refused.length + rest.length > 0 ? (
          <button type="button" class="button" onClick={() => download(`rejects-${chosen.name}`, rejects())}>
            Download them
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
            onClick={() => readable > 0 && go(importRun(service, chosen.rows))}
          >
            Import {countOf(readable)}
          </button>
        ) : null}
        {isCorrectable && chosen ? (
          <button
            type="button"
            class="button primary"
            onClick={() => correct(chosen.name, rejects().replaceAll("\r\n", "\n"))}
          >
            Correct them here
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
    (name) => (FIELDS[name].whenEmpty === undefined) === (are === "optional"),
  );
  const parts = new Intl.ListFormat("en-GB").formatToParts(names);
  return parts.map(({ type, value }) => (type === "element" ? <code key={value}>{value}</code> : value));
}
