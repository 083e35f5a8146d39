/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Refusal } from "./action.tsx";

/** A part of the page, with its title. */
export function Part({
  name,
  title,
  children,
}: {
  name: string;
  title: string;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class={`card part ${name}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** One field and its button. The field is emptied when the action is done; a refusal stands below it until it changes. */
export function FieldAction(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  /** @returns why it was refused; empty if it was done */
  readonly onSubmit: (value: string) => Promise<string>;
}) {
  const { label, placeholder, action, onSubmit } = props;
  const id = useId();
  const [value, setValue] = useState("");
  const [refusal, setRefusal] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    const why = await onSubmit(value.trim());
    setRefusal(why);
    if (!why) setValue("");
  };
  return (
    <form onSubmit={submit}>
      <label for={id}>{label}</label>
      <p class="key-line">
        <input
          id={id}
          class="input mono"
          autocomplete="off"
          spellcheck={false}
          required
          placeholder={placeholder}
          aria-invalid={refusal !== ""}
          aria-describedby={`${id}-refusal`}
          value={value}
          onInput={({ currentTarget }) => {
            setValue(currentTarget.value);
            setRefusal("");
          }}
        />
        <button type="submit" class="button">
          {action}
        </button>
      </p>
      <Refusal id={`${id}-refusal`} text={refusal} />
    </form>
  );
}
