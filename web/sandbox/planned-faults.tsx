/** @jsxImportSource preact */
import { ActionButton } from "./action.tsx";
import type { PlannedFault } from "./control.ts";
import { hitsOf, optionsOf, requestsOf } from "./fault-sentences.ts";
import { FAULT_WORDS } from "./fault-words.ts";
import type { Act } from "./use-sandbox.ts";

/** The faults of the plan, in the order in which they are tried. */
export function PlannedFaults({ faults, act }: { faults: readonly PlannedFault[]; act: Act }) {
  /** Plans the others again; a fault that has met all its requests is left out. */
  const deleteAt = (at: number) => {
    const others = faults.toSpliced(at, 1).filter(({ count }) => count !== 0);
    return act("Fault deleted.", "PUT", "/faults", {
      faults: others.map(({ hit: _, ...rule }) => rule),
    });
  };
  if (faults.length === 0) return <p class="hint">No faults are planned: each request gets its response.</p>;
  return (
    <>
      <ol class="rows">
        {faults.map((rule, at) => {
          const name = String(rule.fault);
          const title = FAULT_WORDS[name]?.title ?? name;
          return (
            <li key={JSON.stringify([at, name])} class={rule.count === 0 ? "over" : undefined}>
              <span class="row-text">
                <strong>{title}</strong> <code>{name}</code>{" "}
                <span class="hint">
                  {[requestsOf(rule), optionsOf(rule), hitsOf(rule)].filter(Boolean).join("; ")}
                </span>
              </span>
              <ActionButton label="Delete" about={title} class="small quiet" run={() => deleteAt(at)} />
            </li>
          );
        })}
      </ol>
      <div class="actions">
        <ActionButton
          label="Delete all"
          class="small"
          run={() => act("All faults deleted.", "DELETE", "/faults")}
        />
        <span class="hint">Each request or delivery gets the first fault whose conditions it meets.</span>
      </div>
    </>
  );
}
