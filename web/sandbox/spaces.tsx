/** @jsxImportSource preact */
import { useId } from "preact/hooks";
import { CopyButton } from "../browser/copy.tsx";
import { storeKey } from "../browser/key.ts";
import type { Space, SpaceState } from "./control.ts";
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
  return (
    <Part name="spaces" title="Space">
      <p class="hint">Each space has a store, a clock, faults, a journal and API keys of its own.</p>
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
        <button type="button" class="button" onClick={() => void addSpace()}>
          Make a space
        </button>
        {state.space === "first" ? null : (
          <button
            type="button"
            class="button"
            onClick={() => void act("The space is removed.", "DELETE", `/spaces/${state.space}`)}
          >
            Remove it
          </button>
        )}
      </div>
      <h3>API keys</h3>
      <ul class="rows">
        {state.keys.map(({ name, key, scopes, state: validity }) => (
          <li key={key}>
            <div class="row-text">
              <strong>{name}</strong> <span class="hint">{mayDo(name, scopes, validity)}</span>
              <code>{key}</code>
            </div>
            <div class="actions">
              <CopyButton text={() => key} />
              {validity === "valid" ? (
                <a class="button small" href="../" onClick={() => storeKey(key)}>
                  Open the console
                </a>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What a key may do, beside its name: some are named after why they may do nothing. */
function mayDo(name: string, scopes: readonly string[], validity: string): string {
  if (validity !== "valid") return validity === name ? "gets 401" : validity;
  return scopes.join(" ") || "gets 403";
}
