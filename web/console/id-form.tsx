/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { closeDropDown } from "./drop-down.tsx";

/** A field for an id. It has a button, because the keyboard for digits on some phones has no Enter. */
export function IdForm(props: {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  /** The text of the button that submits. */
  readonly action: string;
  /** What the field has at first, and again once it was submitted. */
  readonly initial?: string | undefined;
  readonly onSubmit: (id: string) => void;
  readonly children?: ComponentChildren;
}) {
  const { id, label, placeholder, action, initial = "", onSubmit, children } = props;
  const [value, setValue] = useState(initial);
  const submit = (event: SubmitEvent & { readonly currentTarget: Element }) => {
    event.preventDefault();
    closeDropDown(event.currentTarget);
    onSubmit(value.trim());
    setValue(initial);
  };
  return (
    <form class="find" onSubmit={submit}>
      <label class="visually-hidden" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="input mono"
        inputMode="numeric"
        autocomplete="off"
        placeholder={placeholder}
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <button type="submit" class="button">
        {action}
      </button>
      {children}
    </form>
  );
}
