/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { randomId } from "../../client/request.ts";

interface Props {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** What the Escape key does; without it, the key closes the dialog. */
  readonly onEscape?: (() => void) | undefined;
}

/** A modal dialog, open for as long as it is rendered. The focus goes back to where it was. */
export function Dialog({ title, children, onClose, onEscape }: Props) {
  // The ids of `useId` repeat in the dialogs of another script.
  const [id] = useState(randomId);
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isRendered = useRef(true);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Without a field to fill in, the focus is at the beginning, and on no button that Enter would press.
    (element?.querySelector("input") ?? heading.current)?.focus();
    return () => {
      isRendered.current = false;
      element?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        // A file field sends this event, too, when its reader chooses no file.
        if (event.target !== event.currentTarget || !onEscape) return;
        event.preventDefault();
        onEscape();
      }}
      onClose={() => isRendered.current && onClose()}
    >
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
