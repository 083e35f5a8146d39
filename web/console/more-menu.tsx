/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { isCompact, setCompact } from "./compact.ts";
import { Dots } from "./dots.tsx";
import { DropDown } from "./drop-down.tsx";
import { Later } from "./later.tsx";
import type { Go, View } from "./view.ts";

/** The actions of a list that are used now and then, and the filters that this browser keeps. */
export function MoreMenu(props: {
  readonly view: View;
  readonly go: Go;
  readonly children?: ComponentChildren;
}) {
  const { view, go, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <DropDown class="more-menu" summary={<Dots label="More" />} onToggle={setOpen}>
      {children}
      <label class="choice">
        <input
          type="checkbox"
          defaultChecked={isCompact()}
          onChange={({ currentTarget }) => setCompact(currentTarget.checked)}
        />{" "}
        Low rows
      </label>
      {isOpen ? (
        <Later draw={({ drawKeptFilters }, place) => drawKeptFilters(place, { view, go })}>
          <p class="hint">Loading kept filters…</p>
        </Later>
      ) : null}
    </DropDown>
  );
}
