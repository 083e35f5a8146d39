/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { isCompact, setCompact } from "./compact.ts";
import { Dots } from "./dots.tsx";
import { closeDropDown, DropDown } from "./drop-down.tsx";
import { isDefault, nameOf, useKeptFilters } from "./kept-filters.ts";
import { type Go, UNFILTERED, type View } from "./view.ts";

/** The actions of a list that are used now and then, and the filters that this browser keeps. */
export function MoreMenu(props: {
  readonly view: View;
  readonly go: Go;
  readonly children?: ComponentChildren;
}) {
  const { view, go, children } = props;
  const { filters, add, remove } = useKeptFilters();
  const isKept = filters.some((each) => nameOf(each) === nameOf(view));
  return (
    <DropDown class="more-menu" summary={<Dots label="More" />}>
      {children}
      <label class="choice">
        <input
          type="checkbox"
          defaultChecked={isCompact()}
          onChange={({ currentTarget }) => setCompact(currentTarget.checked)}
        />{" "}
        Low rows
      </label>
      <section aria-label="Kept filters">
        <h2>Kept filters</h2>
        {filters.length > 0 ? (
          <ul>
            {filters.map((filter) => (
              <li key={nameOf(filter)}>
                <button
                  type="button"
                  class="link"
                  onClick={({ currentTarget }) => {
                    closeDropDown(currentTarget);
                    go({ ...UNFILTERED, ...filter });
                  }}
                >
                  {nameOf(filter)}
                </button>
                <button
                  type="button"
                  class="button small quiet"
                  aria-label={`Remove ${nameOf(filter)}`}
                  onClick={() => remove(filter)}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
        ) : null}
        {isDefault(view) ? (
          <p class="hint">Choose a filter to keep it in this browser.</p>
        ) : isKept ? (
          <p class="hint">This filter is kept.</p>
        ) : (
          <button type="button" class="button small" onClick={() => add(view)}>
            Keep “{nameOf(view)}”
          </button>
        )}
      </section>
    </DropDown>
  );
}
