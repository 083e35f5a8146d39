/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Animal, placeOrder } from "../../client/contract.ts";
import { SCROLLS } from "../parts/scrolls.ts";
import { AnimalName } from "./animal-name.tsx";
import { Dialog } from "./dialog.tsx";
import { countOf } from "./files/count.ts";
import { Message } from "./message.tsx";
import { RequestRun, type RunEnd, type RunProgress } from "./request-run.ts";
import { resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { markStale } from "./stale.ts";
import { useAskBeforeLeaving } from "./use-ask-before-leaving.ts";

const NOTHING_YET: RunProgress<Animal> = { done: 0, refused: [], waiting: "" };

const ENDS: Readonly<Record<RunEnd["kind"], string>> = {
  done: "Done.",
  stopped: "Stopped. “Continue” orders the rest, and none twice.",
  "key refused": "The service no longer knows this key. The rest was not ordered.",
  forbidden: "This key may not place orders. The rest was not ordered.",
};

/** Asks before it places an order for each of some animals, and says what became of each. The Escape key stops a run. */
export function OrderAll(props: {
  readonly session: Pick<Session, "service" | "forbid">;
  readonly animals: readonly Animal[];
  readonly onClose: () => void;
}) {
  const { session, animals, onClose } = props;
  const [run] = useState(
    () =>
      new RequestRun(
        session.service,
        animals,
        ({ id }) => ({ path: "/orders", body: `{"petId":${id}}` }),
        (response) => resultOf(response, placeOrder) !== undefined,
      ),
  );
  const [progress, setProgress] = useState(NOTHING_YET);
  const [state, setState] = useState<RunEnd["kind"] | "asking" | "running">("asking");
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);
  const go = async () => {
    running.current = new AbortController();
    setState("running");
    const end = await run.run(running.current.signal, setProgress);
    setState(end.kind);
    if (end.kind === "forbidden") session.forbid("orders:write", end.message);
    markStale();
  };
  const { done, refused, waiting } = progress;
  const isRunning = state === "running";
  useAskBeforeLeaving(isRunning);
  const word = state === "stopped" ? "Continue" : `Place ${countOf(animals.length, "order")}`;
  return (
    <Dialog
      title={`Order ${countOf(animals.length)}`}
      onClose={onClose}
      onEscape={isRunning ? stop : undefined}
    >
      <p role="status">
        {state === "asking"
          ? "Each gets an order of its own and is pending from then on."
          : `${done} of ${countOf(animals.length, "order")} placed${isRunning ? "…" : `. ${ENDS[state]}`}`}
      </p>
      {waiting && isRunning ? (
        <p class="callout warn">
          <strong>Waiting.</strong> <Message text={waiting} />
        </p>
      ) : null}
      {refused.length > 0 ? (
        <ul class="import-refused" aria-label="Not ordered" {...SCROLLS}>
          {refused.map(({ item: { id, name }, why }) => (
            <li key={String(id)}>
              <AnimalName name={name} />: <Message text={why} />
            </li>
          ))}
        </ul>
      ) : null}
      <p class="dialog-actions">
        <button type="button" class="button" onClick={isRunning ? stop : onClose}>
          {isRunning ? "Stop" : state === "asking" ? "Cancel" : "Close"}
        </button>
        {state === "asking" || state === "stopped" ? (
          <button type="button" class="button primary" onClick={go}>
            {word}
          </button>
        ) : null}
      </p>
    </Dialog>
  );
}
