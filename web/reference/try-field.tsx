/** @jsxImportSource preact */
import { randomId } from "../../client/request.ts";
import { usePageId } from "./page-id.ts";
import { IDEMPOTENCY_KEY } from "./try-call.ts";
import type { TryMember, TryParameter } from "./try-model.ts";

/** A label and a field for a parameter, or for a member of a body. An empty one is left out. */
export function TryField(props: {
  readonly field: TryMember | TryParameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { field, value, onChange } = props;
  const { name, values } = field;
  const id = usePageId();
  const shared = {
    id,
    class: "input mono",
    value,
    required: "in" in field && field.in === "path",
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
        {name === IDEMPOTENCY_KEY ? (
          <button type="button" class="button small" onClick={() => onChange(randomId())}>
            New
          </button>
        ) : null}
      </div>
    </>
  );
}
