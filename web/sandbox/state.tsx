/** @jsxImportSource preact */
import { FieldAction, Part } from "./part.tsx";
import type { Sandbox } from "./use-sandbox.ts";

/** The store of the space: its first state, and snapshots. */
export function State(props: { readonly snapshots: readonly string[] } & Pick<Sandbox, "act" | "addSpace">) {
  const { snapshots, act, addSpace } = props;
  const pathOf = (name: string) => `/snapshots/${encodeURIComponent(name)}`;
  return (
    <Part name="state" title="State">
      <p class="hint">
        A reset brings back the first animals and ids, the real time, the first faults and an empty journal.
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={() => void act("Space reset.", "POST", "/reset")}>
          Reset
        </button>
      </div>
      <FieldAction
        label="Snapshot of the store and the clock"
        placeholder="before-the-sale"
        action="Take"
        onSubmit={(name) => act(`The snapshot \`${name}\` is taken.`, "PUT", pathOf(name))}
      />
      <ul class="rows">
        {snapshots.map((name) => (
          <li key={name}>
            <code class="row-text">{name}</code>
            <div class="actions">
              <button
                type="button"
                class="button small"
                aria-label={`Restore ${name}`}
                onClick={() => void act(`The snapshot \`${name}\` is restored.`, "POST", pathOf(name))}
              >
                Restore
              </button>
              <button
                type="button"
                class="button small"
                aria-label={`Make a space from ${name}`}
                onClick={() => void addSpace(name)}
              >
                Make a space
              </button>
              <button
                type="button"
                class="button small quiet"
                aria-label={`Delete ${name}`}
                onClick={() => void act(`The snapshot \`${name}\` is deleted.`, "DELETE", pathOf(name))}
              >
                Delete
              </button>
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}
