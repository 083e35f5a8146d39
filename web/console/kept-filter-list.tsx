/** @jsxImportSource preact */
import { closeDropDown } from "./drop-down.tsx";
import { isDefault, nameOf, useKeptFilters } from "./kept-filters.ts";
import { type Go, UNFILTERED, type View } from "./view.ts";

export interface KeptFilterListProps {
  readonly view: View;
  readonly go: Go;
}

/** The filters that this browser keeps, and a button that keeps the one in use. */
export function KeptFilterList({ view, go }: KeptFilterListProps) {
  const { filters, add, remove } = useKeptFilters();
  const isKept = filters.some((each) => nameOf(each) === nameOf(view));
  return (
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
  );
}
