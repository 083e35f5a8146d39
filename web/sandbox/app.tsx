/** @jsxImportSource preact */
import { Message } from "../console/message.tsx";
import { Clock } from "./clock.tsx";
import type { FaultField } from "./document.ts";
import { Faults } from "./faults.tsx";
import { Journal } from "./journal.tsx";
import { Spaces } from "./spaces.tsx";
import { State } from "./state.tsx";
import { useSandbox } from "./use-sandbox.ts";

/** Buttons for what the control interface does, over the state of one space. */
export function App({ fields }: { fields: readonly FaultField[] }) {
  const sandbox = useSandbox();
  const { seen, outcome, act, operation, chooseOperation } = sandbox;
  return (
    <>
      <div class="outcome" role="status">
        {outcome ? (
          <p class={`callout ${outcome.isRefusal ? "bad" : "good"}`}>
            <Message text={outcome.text} />
          </p>
        ) : null}
      </div>
      {seen ? (
        <div class="parts">
          <div class="column">
            <Spaces spaces={seen.spaces} state={seen.state} {...sandbox} />
            <State snapshots={seen.snapshots} {...sandbox} />
          </div>
          <div class="column">
            <Faults fields={fields} faults={seen.state.faults} act={act} />
            <Clock state={seen.state} act={act} />
          </div>
          <Journal journal={seen.journal} {...{ fields, operation, chooseOperation, act }} />
        </div>
      ) : (
        <p class="hint">Loading…</p>
      )}
    </>
  );
}
