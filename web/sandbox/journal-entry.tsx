/** @jsxImportSource preact */
import { Json } from "../browser/json.tsx";
import { Method, Status } from "../parts/labels.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import type { JournalMessage, JournalRequest } from "./control.ts";
import { FAULT_WORDS } from "./fault-words.ts";

const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A request of the journal: one line with what became of it, and both messages behind it. */
export function Entry({ request }: { request: JournalRequest }) {
  const { id, at, elapsedMs, method, target, operation, key, fault, response } = request;
  return (
    <li>
      <details>
        <summary>
          <Method method={method} /> <code>{target}</code>{" "}
          {response ? (
            <Status status={response.status} />
          ) : (
            <span class="status s0">{fault ? "none" : "…"}</span>
          )}
          <span class="entry-facts hint">
            <span>#{id}</span>
            <time dateTime={at} title={at}>
              {TIME.format(new Date(at))}
            </time>
            <span>{operation ?? "no operation"}</span>
            <span>{key ? `key “${key}”` : "no valid key"}</span>
            {fault ? <span class="tag warn">{FAULT_WORDS[fault.fault]?.title ?? fault.fault}</span> : null}
          </span>
        </summary>
        <Text name="Request" line={`${method} ${target}`} message={request} />
        {response ? (
          <Text
            name={`Response, after ${lasted(response.elapsedMs - elapsedMs)}`}
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

function lasted(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A message as HTTP/1.1 writes it, with its JSON laid out. */
function Text({ name, line, message }: { name: string; line: string; message: JournalMessage }) {
  const { headers, body, bodyIsWhole } = message;
  const head = [line, ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`)].join("\n");
  return (
    <figure>
      <figcaption class="hint">{name}</figcaption>
      <div class="code bare">
        <pre {...SCROLLS}>
          <code>{head}</code>
        </pre>
        {body ? <Json text={body} /> : null}
      </div>
      {bodyIsWhole ? null : <p class="hint">Not all of the body was kept.</p>}
    </figure>
  );
}
