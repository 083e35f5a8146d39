/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { Toast } from "../browser/toast.tsx";
import { Message } from "../console/message.tsx";
import { Clock } from "./clock.tsx";
import { Deliveries } from "./deliveries.tsx";
import type { FaultField } from "./document.ts";
import { Faults } from "./faults.tsx";
import { Journal } from "./journal.tsx";
import { PartSwitch } from "./part-switch.tsx";
import { Presets } from "./presets.tsx";
import { Spaces } from "./spaces.tsx";
import { State } from "./state.tsx";
import { useSandbox } from "./use-sandbox.ts";

/** Buttons for what the control interface does, and next to them what requests came to, for one space. */
export function App({ fields }: { fields: readonly FaultField[] }) {
  const sandbox = useSandbox();
  const [isJournal, setJournal] = useState(false);
  const { seen, problem, done, forgetDone, act, operation, chooseOperation } = sandbox;
  return (
    <>
      <div role="alert">
        {problem ? (
          <p class="callout bad">
            <Message text={problem} />
          </p>
        ) : null}
      </div>
      {seen ? (
        <div class={isJournal ? "parts shows-journal" : "parts"}>
          <PartSwitch
            {...{ isJournal }}
            onChoose={setJournal}
            count={seen.requests.count}
            latest={seen.requests.entries.at(-1)}
          />
          <div class="column">
            <Spaces spaces={seen.spaces} state={seen.state} {...sandbox} />
            <Presets act={act} />
            <Faults fields={fields} faults={seen.state.faults} act={act} />
            <Deliveries targets={seen.targets} act={act} />
            <Clock state={seen.state} act={act} />
            <State snapshots={seen.snapshots} {...sandbox} />
          </div>
          <Journal
            requests={seen.requests}
            deliveries={seen.deliveries}
            targets={seen.targets}
            apiKey={seen.state.keys[0]?.key ?? ""}
            {...{ fields, operation, chooseOperation, act }}
          />
        </div>
      ) : (
        <p class="hint">Loading…</p>
      )}
      <Toast done={done} onLeave={forgetDone} />
    </>
  );
}
