/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What comes before and after in the list; `undefined` at its ends, and where the list does not have what is open. */
export interface Neighbours {
  readonly previous: (() => void) | undefined;
  readonly next: (() => void) | undefined;
  /** Where it is in the list, such as "3 of 20 on this page"; empty where the list does not have it. */
  readonly place: string;
}

type Step = "previous" | "next";

/** From here on there is room for a list next to what is open. */
const WIDE = "(min-width: 60rem)";

/** The button that opened this panel from its neighbour's. */
let pressed: Step | undefined;

/**
 * What is open of a list, next to it; on a phone it is a sheet above the list. The Escape key closes it, and the focus goes
 * back to where it was.
 */
export function Panel(props: {
  readonly title: ComponentChildren;
  /** What can be done with all of it. */
  readonly menu?: ComponentChildren;
  readonly neighbours: Neighbours;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}) {
  const { title, menu, neighbours, children, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (matchMedia(WIDE).matches) element?.show();
    else {
      // A touch of what is left of the list closes it.
      element?.setAttribute("closedby", "any");
      element?.showModal();
    }
    const button = pressed && element?.querySelector<HTMLElement>(`.panel-${pressed}:not([disabled])`);
    pressed = undefined;
    (button ?? heading.current)?.focus();
    return () => element?.close();
  }, []);
  // At once: an effect waits for a frame, and a key that is pressed before it would be lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isOthers = event.defaultPrevented || document.querySelector("dialog:modal, :popover-open");
      if (event.key === "Escape" && !isOthers) onClose();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [onClose]);
  const step = (to: Step, label: string, sign: string) => (
    <button
      type="button"
      class={`icon-button panel-${to}`}
      aria-label={label}
      title={label}
      disabled={!neighbours[to]}
      onClick={() => {
        pressed = to;
        neighbours[to]?.();
      }}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={sign} />
      </svg>
    </button>
  );
  return (
    <dialog
      ref={dialog}
      class="panel"
      aria-labelledby="panel-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <p class="panel-bar">
        {step("previous", "Previous", "m5 12 5-5 5 5")}
        {step("next", "Next in the list", "m5 8 5 5 5-5")}
        <span class="hint">{neighbours.place}</span>
        {menu}
        <button type="button" class="icon-button" aria-label="Close" title="Close" onClick={onClose}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="m5 5 10 10M15 5 5 15" />
          </svg>
        </button>
      </p>
      <h2 id="panel-title" ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** The neighbours of an item in a list. @param isPart whether the service has more of the list than is shown */
export function neighboursOf(
  items: readonly { readonly id: bigint }[] | undefined,
  isPart: boolean,
  id: string,
  open: (id: string) => void,
): Neighbours {
  const at = items?.findIndex((item) => String(item.id) === id) ?? -1;
  const to = (index: number) => {
    const item = at < 0 ? undefined : items?.[index];
    return item && (() => open(String(item.id)));
  };
  const place = at < 0 ? "" : `${at + 1} of ${items?.length}${isPart ? " on this page" : ""}`;
  return { previous: to(at - 1), next: to(at + 1), place };
}
