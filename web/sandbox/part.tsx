/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

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

/** One field and its button. The field is emptied when the action is done. */
export function FieldAction(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly onSubmit: (value: string) => Promise<boolean>;
}) {
  const { label, placeholder, action, onSubmit } = props;
  const id = useId();
  const [value, setValue] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await onSubmit(value.trim())) setValue("");
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
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
        />
        <button type="submit" class="button">
          {action}
        </button>
      </p>
    </form>
  );
}
