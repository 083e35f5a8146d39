/** @jsxImportSource preact */
import type { SpaceState } from "./control.ts";
import { FieldAction, Part } from "./part.tsx";
import type { Act } from "./use-sandbox.ts";

/** The time of the space. */
export function Clock({ state: { now, frozen }, act }: { state: SpaceState; act: Act }) {
  const set = (done: string, change: object) => act(done, "PUT", "/clock", change);
  return (
    <Part name="clock" title="Clock">
      <p>
        <time dateTime={now}>{now.replace("T", " ").replace(/\.\d+/, "")}</time>{" "}
        <span class="hint">{frozen ? "It stands still." : "It runs."}</span>
      </p>
      <FieldAction
        label="Advance by"
        placeholder="25h"
        action="Advance"
        onSubmit={(advance) => set("The clock is advanced.", { advance })}
      />
      <FieldAction
        label="Set to"
        placeholder="2030-12-05T00:00:00Z"
        action="Set"
        onSubmit={(to) => set("The clock is set.", { now: to })}
      />
      <div class="actions">
        {frozen ? (
          <button type="button" class="button" onClick={() => void set("The clock runs.", { frozen: false })}>
            Let it run
          </button>
        ) : (
          <button
            type="button"
            class="button"
            onClick={() => void set("The clock stands still.", { frozen: true })}
          >
            Freeze
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() => void act("The clock shows the real time.", "DELETE", "/clock")}
        >
          Return to the real time
        </button>
      </div>
    </Part>
  );
}
