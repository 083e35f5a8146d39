/** @jsxImportSource preact */
import { ActionButton } from "./action.tsx";
import type { SpaceState } from "./control.ts";
import { FieldAction, Part } from "./part.tsx";
import { SUNSET } from "./presets.tsx";
import type { Act } from "./use-sandbox.ts";

/** The time of the space. */
export function Clock({ state: { now, frozen }, act }: { state: SpaceState; act: Act }) {
  const set = (done: string, change: object) => act(done, "PUT", "/clock", change);
  const [day, time] = now.replace(/\.\d+Z$/, "").split("T");
  const step = (label: string, advance: string) => (
    <ActionButton label={label} class="small" run={() => set("The clock is advanced.", { advance })} />
  );
  return (
    <Part name="clock" title="Clock">
      <p class="clock-face">
        <time dateTime={now}>
          {day} <strong>{time}</strong>
        </time>{" "}
        <span class="hint">UTC. {frozen ? "It stands still." : "It runs."}</span>
      </p>
      <div class="actions">
        {step("+1 h", "1h")}
        {step("+25 h", "25h")}
        <ActionButton
          label="The sunset"
          class="small"
          run={() => set("It is 5 December 2030.", { now: SUNSET })}
        />
        {frozen ? (
          <ActionButton
            label="Let it run"
            class="small"
            run={() => set("The clock runs.", { frozen: false })}
          />
        ) : (
          <ActionButton
            label="Freeze"
            class="small"
            run={() => set("The clock stands still.", { frozen: true })}
          />
        )}
        <ActionButton
          label="Real time"
          class="small"
          run={() => act("The clock shows the real time.", "DELETE", "/clock")}
        />
      </div>
      <p class="hint">
        After 25 hours, records of idempotency keys are gone. From the sunset on, getPet returns 410.
      </p>
      <div class="clock-fields">
        <FieldAction
          label="Advance by"
          placeholder="8d"
          action="Advance"
          onSubmit={(advance) => set("The clock is advanced.", { advance })}
        />
        <FieldAction
          label="Set to"
          placeholder="2027-01-01T00:00:00Z"
          action="Set"
          onSubmit={(to) => set("The clock is set.", { now: to })}
        />
      </div>
    </Part>
  );
}
