/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import { listOrders, listPets } from "../../../client/contract.ts";
import { messageOf } from "../../browser/refusal.ts";
import { Dialog } from "../dialog.tsx";
import { Message } from "../message.tsx";
import { patientCall } from "../patient-call.ts";
import { nextOf, resultOf } from "../result.ts";
import type { Service } from "../service.ts";
import { type View, wholePathsOf } from "../view.ts";
import { csvHeader, csvLine } from "./csv.ts";
import { download } from "./download.ts";

export interface ExportProps {
  readonly service: Pick<Service, "call">;
  readonly view: View;
  readonly onClose: () => void;
}

interface Progress {
  readonly count: number;
  readonly waiting: string;
  readonly end: "" | "done" | "failed";
  readonly fault: string;
}

/** Saves every item that passes the view's filter as CSV, page by page of the list. */
export function ExportDialog({ service, view, onClose }: ExportProps) {
  const [progress, setProgress] = useState<Progress>({ count: 0, waiting: "", end: "", fault: "" });
  const { section, status } = view;
  const name = [status, section].filter(Boolean).join("-");
  useEffect(() => {
    const controller = new AbortController();
    void exportList(service, view, controller.signal, setProgress).then((text) => {
      if (text !== undefined) download(`${name}.csv`, text);
    });
    return () => controller.abort();
  }, []);
  const { count, waiting, end, fault } = progress;
  return (
    <Dialog title={`Export ${status} ${section} as CSV`.replace("  ", " ")} onClose={onClose}>
      <p role="status">
        {end === "done" ? (
          <>
            {count} {section} are in <code>{name}.csv</code>, where your browser saves files.
          </>
        ) : (
          `${count} ${section} so far…`
        )}
      </p>
      {waiting ? (
        <p class="callout warn">
          <strong>Waiting.</strong> <Message text={waiting} /> The export goes on by itself.
        </p>
      ) : null}
      {fault ? (
        <p class="callout bad" role="alert">
          <strong>Nothing was saved.</strong> <Message text={fault} />
        </p>
      ) : null}
      <p class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {end ? "Close" : "Stop"}
        </button>
      </p>
    </Dialog>
  );
}

/** @returns the whole file; `undefined` if a response or the reader ended it before */
async function exportList(
  service: Pick<Service, "call">,
  view: View,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<string | undefined> {
  const parts = [csvHeader(view.section)];
  let count = 0;
  const report = (end: Progress["end"], waiting = "", fault = "") =>
    onProgress({ count, waiting, end, fault });
  const [first, ...others] = wholePathsOf(view);
  // An order that takes a step meanwhile is listed under both statuses.
  const seen = new Set<string>();
  for (let path = first; path; ) {
    const call = { method: "GET", path, headers: {} };
    const response = await patientCall(service, call, signal, (waiting) => report("", waiting));
    if (!response) return undefined;
    const items = resultOf<{ readonly id: bigint }[]>(
      response,
      view.section === "orders" ? listOrders : listPets,
    );
    if (!items) {
      report("failed", "", messageOf(response));
      return undefined;
    }
    for (const item of items) {
      const id = String(item.id);
      if (others.length === 0 && seen.has(id)) continue;
      if (others.length > 0) seen.add(id);
      parts.push(csvLine(view.section, item));
      count++;
    }
    path = nextOf(response) ?? others.shift();
    if (signal.aborted) return undefined;
    report(path ? "" : "done");
  }
  return parts.join("");
}
