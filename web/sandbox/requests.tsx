/** @jsxImportSource preact */
import { useId } from "preact/hooks";
import { CopyButton } from "../browser/copy.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import { ActionButton } from "./action.tsx";
import type { JournalRequest } from "./control.ts";
import type { FaultField } from "./document.ts";
import { Entry } from "./journal-entry.tsx";
import { type Latest, shownOf } from "./latest-entries.ts";
import type { Sandbox } from "./use-sandbox.ts";

/** The requests that came in, the latest first. */
export function Requests(
  props: {
    readonly requests: Latest<JournalRequest>;
    readonly fields: readonly FaultField[];
    /** A key of the space. */
    readonly apiKey: string;
  } & Pick<Sandbox, "operation" | "chooseOperation" | "act">,
) {
  const { requests, fields, apiKey, operation, chooseOperation, act } = props;
  const operations = fields.find(({ name }) => name === "operation")?.choices ?? [];
  const id = useId();
  return (
    <>
      <div class="actions">
        <label class="visually-hidden" for={id}>
          Requests of
        </label>
        <select
          id={id}
          class="input"
          value={operation}
          onInput={({ currentTarget }) => chooseOperation(currentTarget.value)}
        >
          <option value="">All operations</option>
          {operations.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <span class="hint">{shownOf(requests, "request", "requests")}</span>
        {requests.count > 0 ? (
          <ActionButton
            label="Empty"
            about="the journal"
            class="small quiet"
            run={() => act("The journal is empty.", "DELETE", "/requests")}
          />
        ) : null}
      </div>
      {requests.entries.length > 0 ? (
        <ol class="requests-seen" {...SCROLLS}>
          {requests.entries.toReversed().map((request) => (
            <Entry key={request.id} request={request} />
          ))}
        </ol>
      ) : (
        <FirstRequest apiKey={apiKey} />
      )}
    </>
  );
}

/** What to do while the journal is empty. */
function FirstRequest({ apiKey }: { apiKey: string }) {
  const curl = `curl ${new URL("../v1/pets", document.baseURI)} -H "Authorization: Bearer ${apiKey}"`;
  return (
    <div class="first-request">
      <p>Each request shows up here as it arrives, with its response. Send one:</p>
      <div class="code">
        <pre {...SCROLLS}>
          <code>{curl}</code>
        </pre>
        <CopyButton text={() => curl} />
      </div>
    </div>
  );
}
