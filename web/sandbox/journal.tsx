/** @jsxImportSource preact */
import { useId } from "preact/hooks";
import { Method, Status } from "../parts/labels.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import type { JournalMessage, JournalRequest } from "./control.ts";
import type { FaultField } from "./document.ts";
import type { LatestRequests } from "./latest-requests.ts";
import { Part } from "./part.tsx";
import type { Sandbox } from "./use-sandbox.ts";

/** The requests that came in, the latest first. */
export function Journal(
  props: { readonly journal: LatestRequests; readonly fields: readonly FaultField[] } & Pick<
    Sandbox,
    "operation" | "chooseOperation" | "act"
  >,
) {
  const { journal, fields, operation, chooseOperation, act } = props;
  const { count, requests } = journal;
  const operations = fields.find(({ name }) => name === "operation")?.choices ?? [];
  const id = useId();
  return (
    <Part name="journal" title="Journal">
      <div class="actions">
        <label for={id}>Operation</label>
        <select
          id={id}
          class="input"
          value={operation}
          onInput={({ currentTarget }) => chooseOperation(currentTarget.value)}
        >
          <option value="">all</option>
          {operations.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <span class="hint">{countOf(count, requests.length)}</span>
        <button
          type="button"
          class="button"
          onClick={() => void act("The journal is empty.", "DELETE", "/requests")}
        >
          Empty the journal
        </button>
      </div>
      <ol class="requests-seen">
        {requests.toReversed().map((request) => (
          <Entry key={request.id} request={request} />
        ))}
      </ol>
    </Part>
  );
}

function countOf(count: number, shown: number): string {
  const all = `${count} ${count === 1 ? "request" : "requests"}`;
  return shown < count ? `${all}, the latest ${shown} shown` : all;
}

function Entry({ request }: { request: JournalRequest }) {
  const { id, elapsedMs, method, target, key, fault, response } = request;
  return (
    <li>
      <details>
        <summary>
          <span class="number">{id}</span> <Method method={method} /> <code>{target}</code>{" "}
          <span class="hint">{(elapsedMs / 1000).toFixed(3)} s</span>{" "}
          {fault ? <span class="tag warn">fault {fault.fault}</span> : null}{" "}
          <Status status={response?.status} />
        </summary>
        <p class="hint">Key: {key ?? "unknown"}</p>
        <Text name="Request" message={request} />
        {response ? <Text name="Response" message={response} /> : null}
      </details>
    </li>
  );
}

function Text({ name, message }: { name: string; message: JournalMessage }) {
  const { headers, body, bodyIsWhole } = message;
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  if (body) lines.push("", body);
  if (!bodyIsWhole) lines.push("", "(not all of the body was kept)");
  return (
    <figure>
      <figcaption class="hint">{name}</figcaption>
      <div class="code bare">
        <pre {...SCROLLS}>
          <code>{lines.join("\n")}</code>
        </pre>
      </div>
    </figure>
  );
}
