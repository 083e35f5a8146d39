/** @jsxImportSource preact */
import type { Exchange } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { Json } from "../browser/json.tsx";
import { refusalOf } from "../browser/refusal.ts";
import { Status } from "../parts/labels.tsx";
import { unsendable } from "./try-call.ts";

/** The outcome of a call: status and time, the body to the last digit, the headers, and the request. */
export function TryResult({ exchange, keyGiven }: { exchange: Exchange; keyGiven: boolean }) {
  const { call, url, response, milliseconds } = exchange;
  if (!response) {
    const name = unsendable(call);
    if (name) {
      return (
        <p class="callout bad" role="alert">
          <strong>Not sent.</strong> The header <code>{name}</code> has a character that no header can carry:
          use ASCII.
        </p>
      );
    }
    return (
      <p class="callout bad" role="alert">
        <strong>No response.</strong> The service could not be reached, or the connection was lost.
      </p>
    );
  }
  const { status, body, headers } = response;
  const code = status >= 400 ? refusalOf(response).code : "";
  return (
    <section class="result">
      <h3>
        <Status status={status} /> in {milliseconds.toFixed(0)} ms, {new Blob([body]).size} bytes
      </h3>
      {code ? (
        <p>
          <a href={`docs/errors/${code}`}>What {code} means</a>
        </p>
      ) : null}
      {body ? (
        <div class="code">
          <Json text={body} />
          <CopyButton text={() => body} />
        </div>
      ) : (
        <p class="hint">The response has no body.</p>
      )}
      <Head title="Response headers" lines={headers.filter(([name]) => !isForBrowsers(name))} isOpen />
      <Head title="Headers for browsers (CORS)" lines={headers.filter(([name]) => isForBrowsers(name))} />
      <Head
        title="Request"
        lines={[
          [call.method, url],
          ...(keyGiven ? ([["authorization", "Bearer (your key)"]] as const) : []),
          ...Object.entries(call.headers),
        ]}
      />
    </section>
  );
}

/** Whether a header tells browsers what other sites may read: long, and of little interest here. */
function isForBrowsers(name: string): boolean {
  return name.startsWith("access-control-");
}

function Head(props: {
  readonly title: string;
  readonly lines: readonly (readonly [string, string])[];
  readonly isOpen?: boolean;
}) {
  return (
    <details open={props.isOpen}>
      <summary>{props.title}</summary>
      <dl class="head">
        {props.lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
