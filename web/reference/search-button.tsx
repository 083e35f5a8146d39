/** @jsxImportSource preact */
import { OPEN_SEARCH } from "./listen-for-search.ts";

/** The button that opens search, in the sidebar and in the bar of small screens. */
export function SearchButton({ isSmall = false }: { isSmall?: boolean }) {
  return (
    <button
      type="button"
      class={isSmall ? "icon-button" : "search-button"}
      aria-label={isSmall ? "Search" : undefined}
      title={isSmall ? "Search (Ctrl K)" : undefined}
      onClick={() => document.dispatchEvent(new Event(OPEN_SEARCH))}
    >
      <SearchIcon />
      {isSmall ? null : (
        <>
          Search <kbd>/</kbd>
        </>
      )}
    </button>
  );
}

export function SearchIcon() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="9" cy="9" r="5.5" />
      <path d="m13 13 4 4" />
    </svg>
  );
}
