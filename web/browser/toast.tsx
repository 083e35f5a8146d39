/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Long enough to read two short sentences. */
export const TOAST_MS = 5000;

/** What was done. Each is an object of its own, since the same may be done twice. */
export interface Done {
  readonly text: ComponentChildren;
}

/** Says in a corner what was done. It leaves by itself, unless the pointer or the focus is on it. */
export function Toast({ done, onLeave }: { done: Done | undefined; onLeave: () => void }) {
  const [isHeld, setHeld] = useState(false);
  // Not later than the text is shown: the time of the one before would take it away.
  useLayoutEffect(() => {
    if (!done || isHeld) return;
    const timer = setTimeout(onLeave, TOAST_MS);
    return () => clearTimeout(timer);
  }, [done, isHeld]);
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <div class="toasts" role="status">
      {done ? (
        <p class="toast" onMouseEnter={hold} onMouseLeave={release} onFocusIn={hold} onFocusOut={release}>
          <span>{done.text}</span>
          <button
            type="button"
            class="button small quiet"
            onClick={() => {
              release();
              onLeave();
            }}
          >
            Dismiss
          </button>
        </p>
      ) : null}
    </div>
  );
}
