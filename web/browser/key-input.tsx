/** @jsxImportSource preact */
import type { Ref } from "preact";

/** The field for an API key. The page has its fault and its hint under `ID-fault` and `ID-hint`. */
export function KeyInput(props: {
  readonly id: string;
  readonly placeholder: string;
  readonly value: string;
  readonly fault: string;
  readonly onInput: (value: string) => void;
  readonly inputRef?: Ref<HTMLInputElement>;
}) {
  const { id, placeholder, value, fault, onInput, inputRef = null } = props;
  return (
    <input
      ref={inputRef}
      id={id}
      class="input mono"
      type="password"
      autocomplete="off"
      spellcheck={false}
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      aria-invalid={fault !== ""}
      aria-describedby={`${id}-fault ${id}-hint`}
    />
  );
}
