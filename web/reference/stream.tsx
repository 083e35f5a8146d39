/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Call, openStream } from "../browser/call.ts";
import { SCROLLS } from "../parts/scrolls.ts";
import { CurlLine } from "./curl-line.tsx";

/** Characters that a form shows of a stream: the latest. */
const SHOWN_MAX = 20_000;

/** Opens the stream of an operation that has one, and shows what comes as it comes. */
export function Stream({ call, apiKey }: { call: Call; apiKey: string }) {
  const [text, setText] = useState("");
  const [state, setState] = useState<"closed" | "open">();
  const opened = useRef<AbortController>(undefined);
  const streamed = { ...call, headers: { ...call.headers, Accept: "text/event-stream" } };
  const stop = () => opened.current?.abort();
  useEffect(() => {
    // A page in the back/forward cache would keep one of the browser's few connections.
    addEventListener("pagehide", stop);
    return () => {
      removeEventListener("pagehide", stop);
      stop();
    };
  }, []);
  const start = async () => {
    const controller = new AbortController();
    opened.current = controller;
    setText("");
    setState("open");
    await openStream(streamed, apiKey, controller.signal, (part) =>
      setText((before) => (before + part).slice(-SHOWN_MAX)),
    );
    setState("closed");
  };
  return (
    <div class="stream">
      <p class="try-actions">
        {state === "open" ? (
          <button type="button" class="button" onClick={stop}>
            Close the stream
          </button>
        ) : (
          <button type="button" class="button" onClick={start}>
            Open the stream
          </button>
        )}
        <span class="hint" role="status">
          {state === "open" ? "Open: events appear as they happen." : state && "The stream is closed."}
        </span>
      </p>
      {state ? (
        <div class="code bare">
          <pre {...SCROLLS} role="log" aria-label="Events">
            <code>{text}</code>
          </pre>
        </div>
      ) : null}
      <CurlLine title="The stream in a terminal" call={streamed} />
    </div>
  );
}
