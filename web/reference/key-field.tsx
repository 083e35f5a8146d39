/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { isWhole, NOT_WHOLE, shortened, storeKey, useKey } from "../browser/key.ts";
import { KeyInput } from "../browser/key-input.tsx";
import { usePageId } from "./page-id.ts";

/** Where the reader enters a key, for every "try it" of the tab and for the console. */
export function KeyField() {
  const key = useKey();
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const id = usePageId();
  if (key) {
    return (
      <section class="key-field">
        <p class="title">Your API key</p>
        <p class="key-line">
          <code>{shortened(key)}</code>
          <button type="button" class="button small" onClick={() => storeKey("")}>
            Forget it
          </button>
        </p>
        <p class="hint">
          This tab keeps it, for “Try it” and the console, and forgets it when you close the tab.
        </p>
      </section>
    );
  }
  const save = (event: Event) => {
    event.preventDefault();
    const given = text.trim();
    if (given === "") return;
    setFault(isWhole(given) ? "" : NOT_WHOLE);
    if (isWhole(given)) storeKey(given);
    setText("");
  };
  return (
    <form class="key-field" onSubmit={save}>
      <p class="title">
        <label for={id}>Your API key</label>
      </p>
      <p class="key-line">
        <KeyInput placeholder="as_…" value={text} onInput={setText} {...{ id, fault }} />
        <button type="submit" class="button">
          Use it
        </button>
      </p>
      <p class="fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
      <p class="hint" id={`${id}-hint`}>
        For “Try it”. This tab keeps it and forgets it when you close the tab. The operator makes keys with{" "}
        <code>animal-store keys create</code>.
      </p>
    </form>
  );
}
