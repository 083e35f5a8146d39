/** @jsxImportSource preact */
import { ActionButton } from "./action.tsx";
import { FieldAction, Part } from "./part.tsx";
import type { Sandbox } from "./use-sandbox.ts";

/** The store of the space: its first state, and snapshots. */
export function State(props: { readonly snapshots: readonly string[] } & Pick<Sandbox, "act" | "addSpace">) {
  const { snapshots, act, addSpace } = props;
  const pathOf = (name: string) => `/snapshots/${encodeURIComponent(name)}`;
  return (
    <Part name="state" title="State">
      <div class="actions">
        <ActionButton
          label="Reset"
          class="small"
          question="Reset the space? Its animals, orders, faults and journal go."
          run={() => act("Space reset.", "POST", "/reset")}
        />
      </div>
      <p class="hint">
        A reset brings back the first animals, ids and faults, the real time and an empty journal. A snapshot
        brings back what you had.
      </p>
      <FieldAction
        label="Snapshot of the store and the clock"
        placeholder="before-the-sale"
        action="Take"
        onSubmit={(name) => act(`The snapshot ${name} is taken.`, "PUT", pathOf(name))}
      />
      {snapshots.length > 0 ? (
        <ul class="rows">
          {snapshots.map((name) => (
            <li key={name}>
              <code class="row-text">{name}</code>
              <div class="actions">
                <ActionButton
                  label="Restore"
                  about={name}
                  class="small"
                  question={`Go back to ${name}?`}
                  run={() => act(`The snapshot ${name} is restored.`, "POST", pathOf(name))}
                />
                <ActionButton
                  label="Make a space"
                  about={`from ${name}`}
                  class="small"
                  run={() => addSpace(name)}
                />
                <ActionButton
                  label="Delete"
                  about={name}
                  class="small quiet"
                  question={`Delete ${name}?`}
                  run={() => act(`The snapshot ${name} is deleted.`, "DELETE", pathOf(name))}
                />
              </div>
            </li>
          ))}
        </ul>
      ) : null}
    </Part>
  );
}
