/** @jsxImportSource preact */
import { Method, Status } from "../parts/labels.tsx";
import type { JournalRequest } from "./control.ts";
import { FAULT_WORDS } from "./fault-words.ts";
import { HttpText, responseAfter, TimeOfDay } from "./http-text.tsx";

/** A request of the journal: one line with what became of it, and both messages behind it. */
export function Entry({ request }: { request: JournalRequest }) {
  const { id, at, elapsedMs, method, target, operation, key, fault, response } = request;
  return (
    <li>
      <details>
        <summary>
          <Method method={method} /> <code>{target}</code> <Outcome request={request} />
          <span class="entry-facts hint">
            <span>#{id}</span>
            <TimeOfDay at={at} />
            <span>{operation ?? "no operation"}</span>
            <span>{key ? `key “${key}”` : "no valid key"}</span>
            {fault ? <span class="tag warn">{FAULT_WORDS[fault.fault]?.title ?? fault.fault}</span> : null}
          </span>
        </summary>
        <HttpText name="Request" line={`${method} ${target}`} message={request} />
        {response ? (
          <HttpText
            name={responseAfter(response.elapsedMs - elapsedMs)}
            line={`HTTP/1.1 ${response.status}`}
            message={response}
          />
        ) : (
          <p class="hint">No response has left.</p>
        )}
      </details>
    </li>
  );
}

/** The status of a request's response: none if a fault took it away, and nothing yet while it is waited for. */
export function Outcome({ request: { response, fault } }: { request: JournalRequest }) {
  return response ? (
    <Status status={response.status} />
  ) : (
    <span class="status s0">{fault ? "none" : "…"}</span>
  );
}
