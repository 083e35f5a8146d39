/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { randomId } from "../../client/request.ts";
import { Message } from "./message.tsx";

interface FieldAttributes {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

/** A field of a form, with the service's message about it. */
export function FormField(props: {
  readonly label: string;
  readonly hint?: string;
  readonly fault: string | undefined;
  /** The rule that the fault breaks, for who wants to know it. */
  readonly rule?: string | undefined;
  readonly children: (attributes: FieldAttributes) => preact.JSX.Element;
}) {
  // The ids of `useId` repeat in the trees of another script.
  const [id] = useState(randomId);
  const { label, hint, fault, rule, children } = props;
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      {children({ id, "aria-invalid": fault !== undefined, "aria-describedby": `${id}-text` })}
      <p id={`${id}-text`} class={fault ? "fault" : "hint"}>
        {fault ? <Message text={fault} /> : hint}
      </p>
      {rule ? (
        <details class="more">
          <summary>Allowed range</summary>
          <p class="hint">{rule}</p>
        </details>
      ) : null}
    </div>
  );
}
