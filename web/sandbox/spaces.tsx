/** @jsxImportSource preact */
import { useId } from "preact/hooks";
import { CopyButton } from "../browser/copy.tsx";
import { storeKey } from "../browser/key.ts";
import { ActionButton } from "./action.tsx";
import type { Key, Space, SpaceState } from "./control.ts";
import { Part } from "./part.tsx";
import type { Sandbox } from "./use-sandbox.ts";

/** The space that the rest of the page is about, and its API keys. */
export function Spaces(
  props: { readonly spaces: readonly Space[]; readonly state: SpaceState } & Pick<
    Sandbox,
    "choose" | "addSpace" | "act"
  >,
) {
  const { spaces, state, choose, addSpace, act } = props;
  const id = useId();
  const select = (name: string) => {
    const space = spaces.find((each) => each.space === name);
    if (space) choose(space);
  };
  const [first, ...others] = state.keys;
  const address = new URL("../v1", document.baseURI).href;
  return (
    <Part name="spaces" title="Connect">
      <ul class="rows">
        <li>
          <div class="row-text">
            <strong>Base address</strong> <code>{address}</code>
          </div>
          <CopyButton text={() => address} />
        </li>
        {first ? <KeyRow of={first} isFirst /> : null}
      </ul>
      <p class="hint">
        A client sends it as <code>Authorization: Bearer</code>. The button signs this tab in with it.
      </p>
      <details class="more">
        <summary>{others.length} more keys with fewer scopes</summary>
        <ul class="rows">
          {others.map((each) => (
            <KeyRow key={each.key} of={each} />
          ))}
        </ul>
      </details>
      <div class="actions">
        <label for={id}>Space</label>
        <select
          id={id}
          class="input"
          value={state.space}
          onInput={({ currentTarget }) => select(currentTarget.value)}
        >
          {spaces.map(({ space }) => (
            <option key={space} value={space}>
              {space}
            </option>
          ))}
        </select>
        <ActionButton label="Make a space" class="small" run={() => addSpace()} />
        {state.space === "first" ? null : (
          <ActionButton
            key={state.space}
            label="Remove it"
            class="small"
            question="Remove this space, its animals and its journal?"
            run={() => act("The space is removed.", "DELETE", `/spaces/${state.space}`)}
          />
        )}
      </div>
      <p class="hint wide">Each space has a store, a clock, faults, a journal and API keys of its own.</p>
    </Part>
  );
}

/** @param isFirst whether it is the one to begin with, which may do everything */
function KeyRow({ of: { name, key, scopes, state }, isFirst }: { of: Key; isFirst?: boolean }) {
  return (
    <li>
      <div class="row-text">
        <strong>{isFirst ? "API key" : name}</strong>{" "}
        <span class="hint">{isFirst ? name : mayDo(name, scopes, state)}</span>
        <code>{key}</code>
      </div>
      <div class="actions">
        <CopyButton text={() => key} />
        {state === "valid" ? (
          <a class="button small" href="../" onClick={() => storeKey(key)}>
            Open the console
          </a>
        ) : null}
      </div>
    </li>
  );
}

/** What a key may do, next to its name: some are named after why they may do nothing. */
function mayDo(name: string, scopes: readonly string[], validity: string): string {
  if (validity !== "valid") return validity === name ? "gets 401" : validity;
  return scopes.join(" ") || "gets 403";
}
