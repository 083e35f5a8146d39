/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A modal dialog, open for as long as it is rendered. The focus goes back to where it was. */
export function Dialog({ title, children, onClose }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const isRendered = useRef(true);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isRendered.current = false;
      element?.close();
    };
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={() => isRendered.current && onClose()}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
