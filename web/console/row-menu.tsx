/** @jsxImportSource preact */
import { useId, useRef } from "preact/hooks";
import { asCurl, type Call } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { printExact } from "../model/exact-json.ts";
import { Dots } from "./dots.tsx";

/** Pixels below the button up to which the menu may need room; with less, it opens above. */
const ROOM = 160;

/** What can be copied of an item: its JSON, its address in the console, and the request that returns it. */
export function RowMenu(props: {
  /** The item's name for the button, for example "animal 7". */
  readonly of: string;
  readonly item: object;
  /** The query of its address in the console. */
  readonly query: string;
  /** `undefined` if no operation returns it. */
  readonly call: Call | undefined;
  /** Whether it is in a row, which is one stop of the keyboard: the panel has the menu, too. */
  readonly isInRow: boolean;
}) {
  const { of, item, query, call, isInRow } = props;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  // It lies above everything, so the table's edge does not cut it off.
  const place = () => {
    const { style } = menu.current as HTMLElement;
    const { top, bottom, right } = (button.current as HTMLElement).getBoundingClientRect();
    const opensAbove = innerHeight - bottom < ROOM;
    style.insetInlineEnd = `${document.documentElement.clientWidth - right}px`;
    style.insetBlockStart = opensAbove ? "auto" : `${bottom + 4}px`;
    style.insetBlockEnd = opensAbove ? `${innerHeight - top + 4}px` : "auto";
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon-button row-menu-button"
        aria-label={`Copy ${of}`}
        title={`Copy ${of}`}
        popovertarget={id}
        tabIndex={isInRow ? -1 : undefined}
      >
        <Dots />
      </button>
      <div ref={menu} id={id} class="row-menu" popover="auto" onBeforeToggle={place}>
        <CopyButton label="Copy as JSON" text={() => printExact(item)} />
        <CopyButton label="Copy link" text={() => location.origin + location.pathname + query} />
        {call ? <CopyButton label="Copy as curl" text={() => asCurl(call)} /> : null}
      </div>
    </>
  );
}
