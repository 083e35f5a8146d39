/** @jsxImportSource preact */
import { Method, Status } from "../parts/labels.tsx";
import type { Delivery } from "./control.ts";
import { FAULT_WORDS } from "./fault-words.ts";
import { HttpText, responseAfter, TimeOfDay } from "./http-text.tsx";

/**
 * An attempt to deliver an event: one line with what became of it, and both messages behind it.
 *
 * @param url of its address; `undefined` once that gets no more deliveries
 */
export function DeliveryEntry({ delivery, url }: { delivery: Delivery; url: string | undefined }) {
  const { id, target, event, eventId, attempt, at, fault, headers, body, error, response } = delivery;
  return (
    <li>
      <details>
        <summary>
          <Method method="POST" />{" "}
          <code>
            {event} {eventId}
          </code>{" "}
          <Result delivery={delivery} />
          <span class="entry-facts hint">
            <span>#{id}</span>
            {at ? <TimeOfDay at={at} /> : null}
            <span>attempt {attempt}</span>
            <span>to {url ?? `address ${target}`}</span>
            {fault ? <span class="tag warn">{FAULT_WORDS[fault.fault]?.title ?? fault.fault}</span> : null}
          </span>
        </summary>
        {at ? (
          <HttpText
            name="Delivery"
            line={`POST ${url ?? `to address ${target}`}`}
            message={{ headers, body, bodyIsWhole: true }}
          />
        ) : null}
        {response ? (
          <HttpText
            name={responseAfter(delivery.durationMs ?? 0)}
            line={`HTTP/1.1 ${response.status}`}
            message={response}
          />
        ) : (
          <p class="hint">
            {error ? `No response: ${error}.` : at ? "No response yet." : "It has not left yet."}
          </p>
        )}
      </details>
    </li>
  );
}

function Result({ delivery: { response, outcome } }: { delivery: Delivery }) {
  if (response) return <Status status={response.status} />;
  const text = outcome === null ? "…" : outcome === "failed" ? "none" : outcome;
  return <span class="status s0">{text}</span>;
}
