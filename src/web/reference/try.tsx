/** @jsxImportSource preact */
import { useMemo, useState } from "preact/hooks";
import { asCurl, type Call, type Exchange, newUuid, send } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { Json } from "../browser/json.tsx";
import { useKey } from "../browser/key.ts";
import { refusalOf } from "../browser/refusal.ts";
import { SCROLLS } from "../parts/scrolls.ts";
import { KeyField } from "./key-field.tsx";
import { usePageId } from "./page-id.ts";
import type { TryModel, TryParameter } from "./try-model.ts";

/** A form that calls an operation of this service, and shows what went and what came. */
export function Try({ model }: { model: TryModel }) {
  const key = useKey();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => firstValues(model));
  const [body, setBody] = useState(model.body?.text);
  const [exchange, setExchange] = useState<Exchange | "sending">();
  const call = useMemo(() => callOf(model, values, body), [model, values, body]);
  const sendIt = async (event: Event) => {
    event.preventDefault();
    if (exchange === "sending") return;
    setExchange("sending");
    setExchange(await send(call, key));
  };
  const fields = model.parameters.map((parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
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
            <label for={bodyId}>Body</label>
            <textarea
              id={bodyId}
              class="input mono"
              rows={Math.min(14, (body ?? "").split("\n").length + 1)}
              spellcheck={false}
              value={body}
              onInput={({ currentTarget }) => setBody(currentTarget.value)}
            />
          </div>
        ) : null}
        <p class="try-actions">
          <button type="submit" class="button primary" aria-disabled={exchange === "sending"}>
            {exchange === "sending" ? "Sending…" : "Send request"}
          </button>
          {key ? null : <span class="hint">Without a key the answer is 401.</span>}
        </p>
      </form>
      <h4>The same in a terminal</h4>
      <div class="code">
        <pre {...SCROLLS}>
          <code>{asCurl(call)}</code>
        </pre>
        <CopyButton text={() => asCurl(call)} />
      </div>
      <div aria-live="polite">
        {exchange && exchange !== "sending" ? <Result exchange={exchange} keyGiven={key !== ""} /> : null}
      </div>
    </details>
  );
}

function ParameterField(props: {
  readonly parameter: TryParameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { parameter, value, onChange } = props;
  const { name, required, values } = parameter;
  const id = usePageId();
  const shared = {
    id,
    class: "input mono",
    value,
    required: required && parameter.in === "path",
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      onChange(currentTarget.value),
  };
  return (
    <>
      <label for={id}>
        <code>{name}</code>
      </label>
      <div class="try-input">
        {values ? (
          <select {...shared}>
            <option value="">(left out)</option>
            {values.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : (
          <input {...shared} type="text" autocomplete="off" spellcheck={false} placeholder="(left out)" />
        )}
        {name === "Idempotency-Key" ? (
          <button type="button" class="button small" onClick={() => onChange(newUuid())}>
            New
          </button>
        ) : null}
      </div>
    </>
  );
}

function Result({ exchange, keyGiven }: { exchange: Exchange; keyGiven: boolean }) {
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
      <h4>
        <span class={`status s${String(status)[0]}`}>{status}</span> in {milliseconds.toFixed(0)} ms,{" "}
        {new Blob([body]).size} bytes
      </h4>
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
      <Head title="Response headers" lines={headers} isOpen />
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

/** The header that no browser sends, because of a character in its value. */
function unsendable({ headers }: Call): string | undefined {
  return Object.keys(headers).find((name) => /[^\0-\xff]/.test(headers[name] ?? ""));
}

function firstValues({ parameters }: TryModel): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, example }) => [name, name === "Idempotency-Key" ? newUuid() : example]),
  );
}

/** The request that the form stands for; what is left empty is left out. */
function callOf(
  { method, path, parameters, body }: TryModel,
  values: Readonly<Record<string, string>>,
  text?: string,
): Call {
  const given = (place: TryParameter["in"]) =>
    parameters.filter((parameter) => parameter.in === place && (values[parameter.name] || place === "path"));
  const filled = given("path").reduce(
    (at, { name }) => at.replace(`{${name}}`, encodeURIComponent(values[name] ?? "")),
    path,
  );
  const query = given("query").map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? "")}`);
  return {
    method,
    path: filled + (query.length > 0 ? `?${query.join("&")}` : ""),
    headers: {
      ...(body && { "Content-Type": body.mediaType }),
      ...Object.fromEntries(given("header").map(({ name }) => [name, values[name] ?? ""])),
    },
    body: text,
  };
}
