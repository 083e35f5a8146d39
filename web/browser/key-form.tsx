/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { faultOfKey, PREFIX, storeKey } from "./key.ts";

/** The form that takes an API key and keeps it for the tab. */
export function KeyForm(props: {
  /** Of the field, unique on the page. */
  readonly id: string;
  readonly label: string;
  /** The text of the button. */
  readonly action: string;
  readonly hint: ComponentChildren;
  /** What is wrong at first. */
  readonly fault?: string;
  /** Whether it is what the page is for: it then has the focus, and a button that stands out. */
  readonly isFirst?: boolean;
  /** Asks the service. @returns what is wrong with the key, or an empty text */
  readonly check?: (key: string) => Promise<string>;
}) {
  const { id, label, action, hint, fault: first = "", isFirst = false, check } = props;
  const [text, setText] = useState("");
  const [fault, setFault] = useState(first);
  const [isChecking, setChecking] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const shares = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isChecking) return;
    const key = text.trim();
    let found = faultOfKey(key);
    setFault(found);
    if (!found && check) {
      setChecking(true);
      found = await check(key);
      setChecking(false);
      setFault(found);
    }
    if (found) return field.current?.focus();
    storeKey(key, shares.current?.checked);
    setText("");
  };
  return (
    <form class="key-form" onSubmit={submit} noValidate>
      <label for={id}>{label}</label>
      <p class="key-line">
        <input
          ref={field}
          id={id}
          class="input mono"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder={`${PREFIX}…`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          aria-invalid={fault !== ""}
          aria-describedby={`${id}-fault ${id}-hint`}
        />
        <button type="submit" class={isFirst ? "button primary" : "button"} aria-disabled={isChecking}>
          {isChecking ? "Checking…" : action}
        </button>
      </p>
      <p class="fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
      <label class="choice">
        <input ref={shares} type="checkbox" /> Stay signed in across tabs
      </label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </form>
  );
}
