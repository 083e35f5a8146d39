/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Closes the box that an element is in; the focus goes back to its button. */
export function closeDropDown(inside: Element): void {
  const details = inside.closest("details");
  details?.querySelector("summary")?.focus();
  details?.removeAttribute("open");
}

/** A button with a box that lies above the page. The Escape key closes it, and so does a click or the focus elsewhere. */
export function DropDown(props: {
  readonly class: string;
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
  readonly onToggle?: (isOpen: boolean) => void;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // The click may have removed its target: the path still has what it was in.
    const onClick = (event: Event) => {
      if (details.current && !event.composedPath().includes(details.current)) details.current.open = false;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !details.current?.open) return;
      event.preventDefault();
      closeDropDown(details.current);
    };
    // Tab leaves it, and the box would hide what has the focus. A dialog that it opened gives the focus back to it.
    const onFocus = ({ target }: FocusEvent) => {
      const isElsewhere = target instanceof Element && !target.closest("dialog");
      if (isElsewhere && details.current && !details.current.contains(target)) details.current.open = false;
    };
    const end = new AbortController();
    document.addEventListener("click", onClick, end);
    document.addEventListener("keydown", onKey, end);
    document.addEventListener("focusin", onFocus, end);
    return () => end.abort();
  }, []);
  return (
    <details
      class={props.class}
      ref={details}
      onToggle={({ currentTarget }) => props.onToggle?.(currentTarget.open)}
    >
      <summary>{props.summary}</summary>
      <div class="drop-down">{props.children}</div>
    </details>
  );
}
