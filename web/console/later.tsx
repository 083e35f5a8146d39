/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Dialogs, loadDialogs } from "./load-dialogs.ts";

/** A part of the page that comes with the script of the dialogs: this loads it, and has the part drawn again whenever it changes. */
export function Later(props: {
  readonly draw: (dialogs: Dialogs, place: Element) => void;
  /** What stands there until the script comes, and if it does not. */
  readonly children?: ComponentChildren;
  readonly onProblem?: () => void;
}) {
  const { draw, children, onProblem } = props;
  const place = useRef<HTMLDivElement>(null);
  const [dialogs, setDialogs] = useState<Dialogs>();
  useEffect(() => {
    loadDialogs().then(setDialogs, onProblem ?? (() => {}));
  }, []);
  useEffect(() => {
    if (dialogs && place.current) draw(dialogs, place.current);
  });
  return <div ref={place}>{dialogs ? null : children}</div>;
}
