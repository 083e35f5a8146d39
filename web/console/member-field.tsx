/** @jsxImportSource preact */
import { FormField } from "./form-field.tsx";
import { FIELDS, LABELS, type MemberName } from "./members.ts";

/** The field of a form for a member of an animal. */
export function MemberField(props: {
  readonly name: MemberName;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onInput: (value: string) => void;
}) {
  const { name, value, fault, onInput } = props;
  const { hint, isInteger, values } = FIELDS[name];
  // The service's rule names both ends of the range, with 19 digits each.
  const rule = isInteger && fault?.startsWith("Must be an integer") ? fault : undefined;
  const common = {
    name,
    value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  };
  return (
    <FormField
      label={LABELS[name]}
      {...(hint && { hint })}
      fault={rule ? "Enter a whole number." : fault}
      rule={rule}
    >
      {(attributes) =>
        values ? (
          <select {...attributes} {...common} class="input">
            {values.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : isInteger ? (
          <input {...attributes} {...common} class="input mono" inputMode="numeric" autocomplete="off" />
        ) : (
          <input {...attributes} {...common} class="input" dir="auto" autocomplete="off" />
        )
      }
    </FormField>
  );
}
