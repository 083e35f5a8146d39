/** @jsxImportSource preact */
import { CopyButton } from "../browser/copy.tsx";
import { ActionButton } from "./action.tsx";
import type { DeliveryTarget } from "./control.ts";
import { FieldAction, Part } from "./part.tsx";
import type { Act } from "./use-sandbox.ts";

/** The addresses that get the events of the space as webhooks. */
export function Deliveries({ targets, act }: { targets: readonly DeliveryTarget[]; act: Act }) {
  return (
    <Part name="deliveries" title="Deliveries">
      <p class="hint">Each event is posted to your receiver as a webhook. The journal shows its responses.</p>
      <FieldAction
        label="Deliver to"
        placeholder="http://127.0.0.1:9000/hooks"
        action="Deliver"
        onSubmit={(url) => act("Events are delivered from now on.", "POST", "/deliveries", { url })}
      />
      {targets.length > 0 ? (
        <ul class="rows">
          {targets.map(({ target, url, secret, ended }) => (
            <li key={target}>
              <div class="row-text">
                <strong>{url}</strong> {ended ? <span class="hint">Ended: {ended}</span> : null}
                <code>{secret}</code>
              </div>
              <div class="actions">
                <CopyButton text={() => secret} label="Copy secret" />
                <ActionButton
                  label="End"
                  about={`deliveries to ${url}`}
                  class="small quiet"
                  run={() => act("The deliveries are ended.", "DELETE", `/deliveries/${target}`)}
                />
              </div>
            </li>
          ))}
        </ul>
      ) : null}
    </Part>
  );
}
