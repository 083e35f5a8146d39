/** @jsxImportSource preact */
import { PLACE } from "../browser/environment.ts";
import { shortened, signOutLabel, storeKey, useKey } from "../browser/key.ts";
import { KeyForm } from "../browser/key-form.tsx";
import { KeyHint } from "./key-hint.tsx";
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
              {signOutLabel()}
            </button>
          </p>
          <p class="hint">
            <KeyHint place={undefined} />
          </p>
        </>
      ) : (
        <KeyForm id={id} label="Your API key" action="Use it" hint={<KeyHint place={PLACE} />} />
      )}
    </section>
  );
}
