/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { asCurl, type Exchange, headerOf } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { Method, Status } from "../parts/labels.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import { Later } from "./later.tsx";
import type { Service } from "./service.ts";

/** Every request that the console made, as a line for a terminal; nothing before the first. */
export function Requests({ exchanges, waiting }: Pick<Service, "exchanges" | "waiting">) {
  const [latest] = exchanges;
  return (
    <section class="requests" aria-label="Requests">
      <p class="waiting" role="status">
        {waiting > 0
          ? "Waiting for a response. The service is slow, or other tabs hold all of the browser's connections to it."
          : null}
      </p>
      {latest ? (
        <details>
          <summary>
            Requests <span class="count">{latest.number}</span>
            <Line exchange={latest} />
          </summary>
          <ol>
            {exchanges.map((exchange) => (
              <li key={exchange.number}>
                <Line exchange={exchange} />
                <div class="code">
                  <pre {...SCROLLS} data-language="sh">
                    <code>{asCurl(exchange.call)}</code>
                  </pre>
                  <CopyButton text={() => asCurl(exchange.call)} label="Copy curl" />
                </div>
                {exchange.response?.body ? <ResponseBody body={exchange.response.body} /> : null}
                <RequestId exchange={exchange} />
              </li>
            ))}
          </ol>
        </details>
      ) : null}
    </section>
  );
}

/** What came back, laid out only when somebody looks. */
function ResponseBody({ body }: { body: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Response</summary>
      {isOpen ? (
        <div class="code">
          <Later draw={({ drawJson }, place) => drawJson(place, body)}>
            <pre {...SCROLLS}>
              <code>{body}</code>
            </pre>
          </Later>
          <CopyButton text={() => body} />
        </div>
      ) : null}
    </details>
  );
}

/** The id of a request, under which the operator's log has it. */
function RequestId({ exchange: { response } }: { exchange: Exchange }) {
  const id = response && headerOf(response, "x-request-id");
  if (!id) return null;
  return (
    <p class="hint">
      Request <code>{id}</code>
    </p>
  );
}

function Line({ exchange: { call, url, response, milliseconds } }: { exchange: Exchange }) {
  const { pathname, search } = new URL(url);
  return (
    <span class="request-line">
      <Status status={response?.status} />
      <Method method={call.method} />
      <code>{pathname + search}</code>
      <span class="hint">{milliseconds.toFixed(0)} ms</span>
    </span>
  );
}
