/** @jsxImportSource preact */
import { useId, useState } from "preact/hooks";
import { Refusal } from "./action.tsx";
import type { PlannedFault } from "./control.ts";
import type { FaultField } from "./document.ts";
import { titleOf } from "./fault-sentences.ts";
import { FAULT_WORDS } from "./fault-words.ts";
import { Part } from "./part.tsx";
import { PlannedFaults } from "./planned-faults.tsx";
import type { Act } from "./use-sandbox.ts";

/** The members that most faults need; the others are behind a button. */
const USUAL = ["fault", "operation", "count"];

/** What the members of a fault are called on this page. */
const LABELS: Readonly<Record<string, string>> = {
  fault: "Fault",
  operation: "Operation",
  count: "Requests that get it",
  delayMs: "Delay in ms",
  delayMaxMs: "Longest delay in ms",
  retryAfterSeconds: "Retry-After in s",
  key: "API key",
  path: "Path",
  event: "Type of the event",
  body: "Members of the body",
  after: "Requests to pass first",
  probability: "Probability",
  seed: "Seed of the probability",
};

/** The planned faults of the space, and a form for another. */
export function Faults(props: {
  readonly fields: readonly FaultField[];
  readonly faults: readonly PlannedFault[];
  readonly act: Act;
}) {
  const { fields, faults, act } = props;
  return (
    <Part name="faults" title="Faults">
      <PlannedFaults faults={faults} act={act} />
      <FaultForm fields={fields} act={act} />
    </Part>
  );
}

function FaultForm({ fields, act }: { fields: readonly FaultField[]; act: Act }) {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({ fault: "503", count: "1" });
  const [refusal, setRefusal] = useState("");
  const refusals = refusalsByField(refusal);
  const submit = async (event: Event) => {
    event.preventDefault();
    setRefusal(await act("Fault added.", "POST", "/faults", { faults: [ruleOf(fields, draft)] }));
  };
  const fieldOf = (field: FaultField) => (
    <Field
      key={field.name}
      field={field}
      value={draft[field.name] ?? ""}
      refusal={refusals.get(field.name) ?? ""}
      onInput={(value) => {
        setRefusal("");
        setDraft({ ...draft, [field.name]: value });
      }}
    />
  );
  const [usual, others] = [true, false].map((is) => fields.filter(({ name }) => USUAL.includes(name) === is));
  return (
    <form onSubmit={submit} aria-label="A fault of your own">
      <h3>A fault of your own</h3>
      <div class="fault-fields">{usual?.map(fieldOf)}</div>
      <p class="hint explained">{FAULT_WORDS[draft.fault ?? ""]?.text}</p>
      <details class="more">
        <summary>Delays and more conditions</summary>
        <div class="fault-fields">{others?.map(fieldOf)}</div>
      </details>
      <div class="actions">
        <button type="submit" class="button primary">
          Add fault
        </button>
        <Refusal text={refusals.size > 0 ? "" : refusal} />
      </div>
    </form>
  );
}

function Field(props: {
  readonly field: FaultField;
  readonly value: string;
  readonly refusal: string;
  readonly onInput: (value: string) => void;
}) {
  const { field, value, refusal, onInput } = props;
  const { name, choices } = field;
  const id = useId();
  const attributes = {
    id,
    value,
    class: "input",
    "aria-invalid": refusal !== "",
    "aria-describedby": `${id}-refusal`,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      onInput(currentTarget.value),
  };
  return (
    <div class="form-field">
      <label for={id}>{LABELS[name] ?? name}</label>
      {choices ? (
        <select {...attributes}>
          {name === "fault" ? null : <option value="">any</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {name === "fault" ? titleOf(choice) : choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          inputMode={field.minimum === undefined ? "text" : "decimal"}
          autocomplete="off"
          placeholder={placeholderOf(field)}
        />
      )}
      <Refusal id={`${id}-refusal`} text={refusal} />
    </div>
  );
}

function placeholderOf({ name, type, minimum, maximum }: FaultField): string {
  if (name === "count") return "all";
  if (type === "object") return '{"name": "Rex"}';
  return minimum === undefined ? "any" : `${minimum} to ${maximum}`;
}

/** The parts of a refusal that name a member, by the member, such as "`faults.0.delayMs` must be …". */
function refusalsByField(refusal: string): ReadonlyMap<string, string> {
  const parts = refusal.split(/`faults\.0\.(\w+)` /).slice(1);
  const byField = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) {
    const words = (parts[at + 1] ?? "").replace(/[;.]\s*$/, "");
    byField.set(parts[at] ?? "", `It ${words}.`);
  }
  return byField;
}

/** What was typed as a fault. What is no number, or no JSON, is sent as text, and the sandbox says what would be right. */
function ruleOf(fields: readonly FaultField[], draft: Readonly<Record<string, string>>): PlannedFault {
  const given = fields.filter(({ name }) => draft[name]?.trim());
  return Object.fromEntries(
    given.map(({ name, choices, type }) => {
      const text = draft[name]?.trim() ?? "";
      const isText = choices || type === "string";
      return [name, isText ? text : jsonOf(text)];
    }),
  );
}

function jsonOf(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
