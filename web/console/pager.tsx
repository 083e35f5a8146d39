/** @jsxImportSource preact */
import { FIRST_PAGE, type Go, isOfOpen, LIMITS, type View } from "./view.ts";

/** The range of a page of a list, and the buttons to its neighbours. */
export function Pager(props: {
  readonly view: View;
  readonly go: Go;
  readonly items: readonly { readonly id: bigint }[];
  /** The service's link to the next page. */
  readonly next: string | undefined;
  readonly nouns: readonly [one: string, many: string];
  /** Whether there are more, which no link leads to. */
  readonly isCut: boolean;
}) {
  const { view, go, items, next, nouns, isCut } = props;
  const [one, many] = nouns;
  const { page, trail } = view;
  const turn = (change: Pick<View, "page" | "trail">) => {
    go(change);
    scrollTo({ top: 0, behavior: "instant" });
  };
  return (
    <nav class="pager" aria-label="Pages">
      <p class="hint" role="status">
        {items.length > 0
          ? `${items.length} ${items.length === 1 ? one : many}, ${
              isOfOpen(view)
                ? isCut
                  ? "the newest of each status; filter by one to see all of it"
                  : "all that are open"
                : `ids ${items[0]?.id} to ${items.at(-1)?.id}`
            }`
          : `No ${many}`}
      </p>
      <label class="per-page">
        Per page{" "}
        <select
          class="input"
          value={view.limit}
          onInput={({ currentTarget }) => go({ ...FIRST_PAGE, limit: currentTarget.value })}
        >
          {LIMITS.map((limit) => (
            <option key={limit}>{limit}</option>
          ))}
        </select>
      </label>
      {page || next ? (
        <div class="pager-buttons">
          <button
            type="button"
            class="button"
            aria-disabled={page === undefined}
            onClick={() => page && turn({ page: trail.at(-1), trail: trail.slice(0, -1) })}
          >
            {page && trail.length === 0 ? "First page" : "Previous"}
          </button>
          <button
            type="button"
            class="button"
            aria-disabled={!next}
            onClick={() => next && turn({ page: next, trail: [...trail, page] })}
          >
            Next
          </button>
        </div>
      ) : null}
    </nav>
  );
}
