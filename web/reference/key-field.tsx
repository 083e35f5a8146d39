/** @jsxImportSource preact */
import { shortened, storeKey, useKey } from "../browser/key.ts";
import { KeyForm } from "../browser/key-form.tsx";
import { usePageId } from "./page-id.ts";

/** Where the reader enters a key, for every "try it" of the tab and for the console. */
export function KeyField() {
  const key = useKey();
  const id = usePageId();
  return (
    <section class="key-field">
      {key ? (
        <>
          <p class="title">Your API key</p>
          <p class="key-line">
            <code>{shortened(key)}</code>
            <button type="button" class="button small" onClick={() => storeKey("")}>
              Sign out
            </button>
          </p>
          <p class="hint">
            This tab keeps it, for “Try it” and the console, and forgets it when you close the tab.
          </p>
        </>
      ) : (
        <KeyForm
          id={id}
          label="Your API key"
          action="Use it"
          hint={
            <>
              For “Try it”. This tab keeps it and forgets it when you close the tab. The operator makes keys
              with <code>animal-store keys create</code>.
            </>
          }
        />
      )}
    </section>
  );
}
