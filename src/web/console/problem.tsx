/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import { type Exchange, headerOf } from "../browser/call.ts";
import { messageOf, refusalOf } from "../browser/refusal.ts";
import { Message } from "./message.tsx";

/** Seconds between attempts where the service does not say. */
const PAUSE_SECONDS = 5;
/** A longer wait is told in minutes. */
const LONG_SECONDS = 90;

interface Explanation {
  readonly title: string;
  readonly text: string;
  /** Whether the same request may succeed later. */
  readonly isPassing: boolean;
}

/** What went wrong, what the user can do, and when the console tries again if the failure may pass. */
export function Problem(props: {
  readonly exchange: Exchange;
  readonly onRetry: () => void;
  readonly onNewKey: () => void;
}) {
  const { exchange, onRetry, onNewKey } = props;
  const { response } = exchange;
  const { title, text, isPassing } = explain(exchange);
  const code = response && refusalOf(response).code;
  const requestId = response && headerOf(response, "x-request-id");
  return (
    <section class="problem">
      {/* The request's id is outside: it differs for each attempt, and would be announced. */}
      <div role="alert">
        <h2>{title}</h2>
        <p>
          <Message text={text} />
        </p>
      </div>
      <p class="problem-actions">
        {isPassing ? <Countdown exchange={exchange} onRetry={onRetry} /> : null}
        {response?.status === 403 ? (
          <button type="button" class="button primary" onClick={onNewKey}>
            Use another key
          </button>
        ) : null}
        {isPassing || response?.status === 403 ? null : (
          <button type="button" class="button primary" onClick={onRetry}>
            Try again
          </button>
        )}
        {code ? <a href={`docs/errors/${code}`}>What {code} means</a> : null}
      </p>
      {requestId ? (
        <p class="hint">
          Request <code>{requestId}</code>: the operator's log has it under this id.
        </p>
      ) : null}
    </section>
  );
}

/** Titles of failures with the status 503, by their codes. */
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
          isPassing: true,
        }
      : {
          title: "You are offline",
          text: "The console goes on as soon as the connection is back.",
          isPassing: true,
        };
  }
  const message = messageOf(response);
  switch (response.status) {
    case 200:
      return {
        title: "Something else answered",
        text: "The response is not the service's: a proxy sent it, or a network that asks you to sign in.",
        isPassing: true,
      };
    case 403:
      return { title: "This key may not do that", text: message, isPassing: false };
    case 429:
      return {
        title: "Too many requests",
        text: "This key has made all the requests that it may make for now.",
        isPassing: true,
      };
    case 503:
      return {
        title: TITLES[refusalOf(response).code] ?? "The service is not available",
        text: message,
        isPassing: true,
      };
    case 400:
      return { title: "The service refused this page", text: message, isPassing: false };
    case 500:
      return {
        title: "Something went wrong",
        text: "An unexpected error occurred in the service.",
        isPassing: false,
      };
    default:
      return { title: "Something went wrong", text: message, isPassing: false };
  }
}

/** Tries again by itself: after `Retry-After`, or as soon as the browser is online again. */
function Countdown({ exchange, onRetry }: { exchange: Exchange; onRetry: () => void }) {
  const [left, setLeft] = useState(() => pauseAfter(exchange));
  useEffect(() => setLeft(pauseAfter(exchange)), [exchange]);
  useEffect(() => {
    if (left <= 0) return onRetry();
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left, onRetry]);
  useEffect(() => {
    addEventListener("online", onRetry);
    return () => removeEventListener("online", onRetry);
  }, [onRetry]);
  return (
    <>
      <button type="button" class="button primary" onClick={onRetry}>
        Try now
      </button>
      {/* Not announced each second: the heading was. */}
      <span class="hint" aria-live="off">
        Trying again in {left > LONG_SECONDS ? `${Math.ceil(left / 60)} min` : `${left} s`}
      </span>
    </>
  );
}

/** Seconds until the next attempt. */
function pauseAfter({ response }: Exchange): number {
  const given = Number(response && headerOf(response, "retry-after"));
  return given > 0 ? given : PAUSE_SECONDS;
}
