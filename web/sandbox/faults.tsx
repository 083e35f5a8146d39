/** @jsxImportSource preact */
import { useId, useState } from "preact/hooks";
import type { PlannedFault } from "./control.ts";
import type { FaultField } from "./document.ts";
import { Part } from "./part.tsx";
import type { Act } from "./use-sandbox.ts";

/** The members that most faults need; the others are behind a button. */
const USUAL = ["fault", "operation", "count"];

/** The planned faults of the space. */
export function Faults(props: {
  readonly fields: readonly FaultField[];
  readonly faults: readonly PlannedFault[];
  readonly act: Act;
}) {
  const { fields, faults, act } = props;
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({ fault: "503", count: "1" });
  /** Plans the others again; a fault that has met all its requests is left out. */
  const deleteAt = (at: number) => {
    const others = faults.toSpliced(at, 1).filter(({ count }) => count !== 0);
    return act("Fault deleted.", "PUT", "/faults", {
      faults: others.map(({ hit: _, ...rule }) => rule),
    });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void act("Fault added.", "POST", "/faults", { faults: [ruleOf(fields, draft)] });
  };
  const fieldOf = (field: FaultField) => (
    <Field
      key={field.name}
      field={field}
      value={draft[field.name] ?? ""}
      onInput={(value) => setDraft({ ...draft, [field.name]: value })}
    />
  );
  const [usual, others] = [true, false].map((is) => fields.filter(({ name }) => USUAL.includes(name) === is));
  return (
    <Part name="faults" title="Faults">
      <p class="hint">Each request gets the first fault whose conditions it meets.</p>
      {faults.length > 0 ? (
        <ol class="rows">
          {faults.map((fault, at) => (
            <li key={JSON.stringify([at, fault.fault])}>
              <span class="row-text">
                <strong>{String(fault.fault)}</strong> <code>{conditionsOf(fault)}</code>
                <span class="hint">{hitsOf(fault)}</span>
              </span>
              <button
                type="button"
                class="button small quiet"
                aria-label={`Delete ${String(fault.fault)}`}
                onClick={() => void deleteAt(at)}
              >
                Delete
              </button>
            </li>
          ))}
        </ol>
      ) : (
        <p>No faults are planned.</p>
      )}
      <form onSubmit={submit}>
        <div class="fault-fields">{usual?.map(fieldOf)}</div>
        <details class="more">
          <summary>Delays and more conditions</summary>
          <div class="fault-fields">{others?.map(fieldOf)}</div>
        </details>
        <p class="actions">
          <button type="submit" class="button primary">
            Add fault
          </button>
          {faults.length > 0 ? (
            <button
              type="button"
              class="button"
              onClick={() => void act("All faults deleted.", "DELETE", "/faults")}
            >
              Delete all
            </button>
          ) : null}
        </p>
      </form>
    </Part>
  );
}

function Field(props: {
  readonly field: FaultField;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const { field, value, onInput } = props;
  const { name, choices, minimum, maximum } = field;
  const id = useId();
  const input = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    onInput(currentTarget.value);
  return (
    <div class="form-field">
      <label for={id}>
        <code>{name}</code>
      </label>
      {choices ? (
        <select id={id} class="input" value={value} onInput={input}>
          {name === "fault" ? null : <option value="">any</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          class="input"
          inputMode="decimal"
          autocomplete="off"
          placeholder={`${minimum} to ${maximum}`}
          value={value}
          onInput={input}
        />
      )}
    </div>
  );
}

/** What was typed as a fault. Text that is not a number is sent as text, and the sandbox says what would be right. */
function ruleOf(fields: readonly FaultField[], draft: Readonly<Record<string, string>>): PlannedFault {
  const given = fields.filter(({ name }) => draft[name]?.trim());
  return Object.fromEntries(
    given.map(({ name, choices }) => {
      const text = draft[name]?.trim() ?? "";
      const number = Number(text);
      return [name, choices || Number.isNaN(number) ? text : number];
    }),
  );
}

function conditionsOf({ fault: _, hit: __, ...members }: PlannedFault): string {
  return Object.entries(members)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
}

function hitsOf({ hit }: PlannedFault): string {
  const ids = hit as readonly number[];
  return ids.length > 0 ? ` It met ${ids.length === 1 ? "request" : "requests"} ${ids.join(", ")}.` : "";
}
