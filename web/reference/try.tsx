/** @jsxImportSource preact */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { randomId } from "../../client/request.ts";
import { type Exchange, send } from "../browser/call.ts";
import { useKey } from "../browser/key.ts";
import { BodyFields } from "./body-fields.tsx";
import { CurlLine } from "./curl-line.tsx";
import { followForm } from "./follow-form.ts";
import { KeyField } from "./key-field.tsx";
import { usePageId } from "./page-id.ts";
import { Stream } from "./stream.tsx";
import { callOf, firstValues, IDEMPOTENCY_KEY } from "./try-call.ts";
import { TryField } from "./try-field.tsx";
import type { TryModel } from "./try-model.ts";
import { TryResult } from "./try-result.tsx";

/** An operation that takes it can also answer with a stream. */
const LAST_EVENT_ID = "Last-Event-ID";

/** A form that calls an operation of this service, and shows the request and the response. */
export function Try({ model }: { model: TryModel }) {
  const key = useKey();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => firstValues(model));
  const [body, setBody] = useState(model.body?.text);
  const [exchange, setExchange] = useState<Exchange | "sending">();
  /** The last `Idempotency-Key` that this form made itself. The reader's own stays as it is. */
  const ownKey = useRef(values[IDEMPOTENCY_KEY] ?? "");
  const call = useMemo(() => callOf(model, values, body), [model, values, body]);
  const first = useRef(call);
  useEffect(() => {
    // What the page shows is right until the reader changes something.
    if (call !== first.current) followForm(model.id, call);
  }, [call]);
  const sendIt = async (event: Event) => {
    event.preventDefault();
    if (exchange === "sending") return;
    setExchange("sending");
    setExchange(await send(call, key));
  };
  const changeBody = (text: string) => {
    setBody(text);
    // A key belongs to the content that it was sent with: other content under it gets 422.
    const sentKey = exchange && exchange !== "sending" && exchange.call.headers[IDEMPOTENCY_KEY];
    if (sentKey !== values[IDEMPOTENCY_KEY] || sentKey !== ownKey.current) return;
    ownKey.current = randomId();
    setValues({ ...values, [IDEMPOTENCY_KEY]: ownKey.current });
  };
  const fields = model.parameters.map((parameter) => (
    <TryField
      key={parameter.name}
      field={parameter}
      value={values[parameter.name] ?? ""}
      onChange={(value) => setValues({ ...values, [parameter.name]: value })}
    />
  ));
  const bodyId = usePageId();
  return (
    <details class="try-panel">
      <summary class="button primary">Try it</summary>
      {key ? null : <KeyField />}
      <form onSubmit={sendIt}>
        {model.isDeprecated ? (
          <p class="callout warn">
            <strong>Deprecated.</strong> This works until the operation is removed.
          </p>
        ) : null}
        <div class="try-fields">{fields}</div>
        {model.body ? (
          <div class="try-body">
            <BodyFields members={model.body.members} text={body ?? ""} onChange={changeBody} />
            <label for={bodyId}>Body</label>
            <textarea
              id={bodyId}
              class="input mono"
              rows={Math.min(14, (body ?? "").split("\n").length + 1)}
              spellcheck={false}
              value={body}
              onInput={({ currentTarget }) => changeBody(currentTarget.value)}
            />
          </div>
        ) : null}
        <p class="try-actions">
          <button type="submit" class="button primary" aria-disabled={exchange === "sending"}>
            {exchange === "sending" ? "Sending…" : "Send request"}
          </button>
          {key ? null : <span class="hint">Without a key, the response is 401.</span>}
        </p>
      </form>
      <div aria-live="polite">
        {exchange && exchange !== "sending" ? <TryResult exchange={exchange} keyGiven={key !== ""} /> : null}
      </div>
      <CurlLine title="The same in a terminal" call={call} />
      {model.parameters.some(({ name }) => name === LAST_EVENT_ID) ? (
        <Stream call={call} apiKey={key} />
      ) : null}
    </details>
  );
}
