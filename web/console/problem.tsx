/** @jsxImportSource preact */
import { useLayoutEffect, useState } from "preact/hooks";
import { retryAfterMs } from "../../client/retry-after.ts";
import { type Exchange, headerOf } from "../browser/call.ts";
import { messageOf, refusalOf } from "../browser/refusal.ts";
import { Message } from "./message.tsx";

/** Seconds between attempts where the service does not say. */
const PAUSE_SECONDS = 5;
/** A longer wait is shown in minutes. */
const LONG_SECONDS = 90;

/** What the user can do: wait until a failure passes, or change what was asked. */
type Remedy = "wait" | "retry" | "use another key" | "show all";

interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly remedy: Remedy;
}

/** What went wrong, what the user can do, and when the console tries again if the failure may pass. */
export function Problem(props: {
  readonly exchange: Exchange;
  /** What the list is a list of, for example "animals". */
  readonly many: string;
  /** Whether the rows of an earlier response are shown below. */
  readonly hasRows: boolean;
  readonly onRetry: () => void;
  readonly onNewKey: () => void;
  /** Shows the list from its beginning, without a filter. */
  readonly onAll: () => void;
}) {
  const { exchange, many, hasRows, onRetry, onNewKey, onAll } = props;
  const { response } = exchange;
  const { title, text, remedy } = explain(exchange);
  const code = response && refusalOf(response).code;
  const requestId = response && headerOf(response, "x-request-id");
  return (
    <section class={hasRows ? "problem with-rows" : "problem"}>
      {/* The request's id is outside: it differs for each attempt, and would be announced. */}
      <div role="alert">
        <h2>{title}</h2>
        <p>
          <Message text={text} />
          {hasRows ? ` The ${many} below are as they were.` : null}
        </p>
      </div>
      <p class="problem-actions">
        {remedy === "wait" ? <Countdown exchange={exchange} onRetry={onRetry} /> : null}
        {remedy === "retry" ? <Primary label="Try again" onClick={onRetry} /> : null}
        {remedy === "use another key" ? <Primary label="Use another key" onClick={onNewKey} /> : null}
        {remedy === "show all" ? <Primary label={`Show all ${many}`} onClick={onAll} /> : null}
        {code ? <a href={`docs/errors/${code}`}>What {code} means</a> : null}
      </p>
      {requestId ? (
        <p class="hint">
          Give the operator this request ID: <code>{requestId}</code>
        </p>
      ) : null}
    </section>
  );
}

function Primary({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" class="button primary" onClick={onClick}>
      {label}
    </button>
  );
}

/** Titles of failures that pass, by their codes. */
const TITLES: Readonly<Record<string, string>> = {
  store_unavailable: "The store is not available",
  overloaded: "The service is busy",
};

function explain({ response }: Exchange): Explanation {
  if (!response) {
    return navigator.onLine
      ? {
          title: "The service does not answer",
          text: "It may be restarting, or the connection was lost. Nothing was changed by this request.",
          remedy: "wait",
        }
      : {
          title: "You are offline",
          text: "The console continues as soon as you are online again.",
          remedy: "wait",
        };
  }
  const message = messageOf(response);
  switch (response.status) {
    case 200:
      return {
        title: "Something else answered",
        text: "The response is not the service's: a proxy sent it, or a network that asks you to sign in.",
        remedy: "wait",
      };
    case 403:
      return { title: "This key may not do that", text: message, remedy: "use another key" };
    case 429:
      return { title: "Too many requests", text: message, remedy: "wait" };
    // 502 and 504 are a proxy's, which waits for the service to come back too.
    case 502:
    case 503:
    case 504:
      return {
        title: TITLES[refusalOf(response).code] ?? "The service is not available",
        text: message,
        remedy: "wait",
      };
    case 400:
      return { title: "The service refused this page", text: message, remedy: "show all" };
    default:
      return { title: "Something went wrong", text: message, remedy: "retry" };
  }
}

/** Tries again by itself: after `Retry-After`, or as soon as the browser is online again. */
function Countdown({ exchange, onRetry }: { exchange: Exchange; onRetry: () => void }) {
  // Each attempt begins a wait of its own, from which a second of the wait before takes nothing.
  const [told, setTold] = useState<{ exchange: Exchange; left: number }>();
  const left = told?.exchange === exchange ? told.left : pauseAfter(exchange);
  useLayoutEffect(() => {
    if (left <= 0) return onRetry();
    const timer = setTimeout(() => setTold({ exchange, left: left - 1 }), 1000);
    return () => clearTimeout(timer);
  }, [exchange, left, onRetry]);
  useLayoutEffect(() => {
    addEventListener("online", onRetry);
    return () => removeEventListener("online", onRetry);
  }, [onRetry]);
  return (
    <>
      <Primary label="Try now" onClick={onRetry} />
      {/* Not announced each second: the heading was. */}
      <span class="hint" aria-live="off">
        Trying again in {left > LONG_SECONDS ? `${Math.ceil(left / 60)} min` : `${left} s`}
      </span>
    </>
  );
}

/** Seconds until the next attempt. */
function pauseAfter({ response }: Exchange): number {
  const given = response && retryAfterMs(headerOf(response, "retry-after") ?? "", Date.now());
  return given ? Math.ceil(given / 1000) : PAUSE_SECONDS;
}
