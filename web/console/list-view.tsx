/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { capitalized } from "../parts/capitalized.ts";
import { LoadingTable } from "./loading-table.tsx";
import { Pager } from "./pager.tsx";
import { Problem } from "./problem.tsx";
import type { Session } from "./session.ts";
import type { List } from "./use-list.ts";
import { type Go, LIMITS, UNFILTERED, type View } from "./view.ts";

interface Props<Item> {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
  readonly list: List<Item>;
  /** What the items are called, in the singular and the plural. */
  readonly nouns: readonly [one: string, many: string];
  readonly statuses: readonly string[];
  /** Filters to show beside the filter by status. */
  readonly filters?: ComponentChildren;
  /** The text for an empty list that no filter explains. */
  readonly emptyHint: string;
  readonly table: (items: readonly Item[]) => ComponentChildren;
}

/** A list of the service: its filters, a page or the reason why there is none, and the buttons to other pages. */
export function ListView<Item extends { readonly id: bigint }>(props: Props<Item>) {
  const { session, view, go, list, nouns, statuses, filters, emptyHint, table } = props;
  const [, many] = nouns;
  const { items, next, problem, load } = list;
  const filter = (change: Partial<View>) => go({ ...change, page: undefined, trail: [] });
  const onAll = () => go(UNFILTERED);
  return (
    <>
      <div class="toolbar">
        <fieldset class="segments">
          <legend class="visually-hidden">Status</legend>
          {["", ...statuses].map((status) => (
            <label key={status}>
              <input
                type="radio"
                name="status-filter"
                checked={view.status === status}
                onChange={() => filter({ status })}
              />
              <span>{status ? capitalized(status) : "All"}</span>
            </label>
          ))}
        </fieldset>
        {filters}
        <div class="toolbar-end">
          <label class="per-page">
            Per page{" "}
            <select
              class="input"
              value={view.limit}
              onInput={({ currentTarget }) => filter({ limit: currentTarget.value })}
            >
              {LIMITS.map((limit) => (
                <option key={limit}>{limit}</option>
              ))}
            </select>
          </label>
          <button type="button" class="button" onClick={load}>
            Refresh {list.news > 0 ? <span class="count">{list.news} new</span> : null}
          </button>
        </div>
      </div>
      {problem ? (
        <Problem exchange={problem} onRetry={load} onNewKey={session.onNewKey} {...{ many, onAll }} />
      ) : !items ? (
        <LoadingTable of={many} />
      ) : items.length === 0 ? (
        <Empty {...{ view, many, emptyHint }} onAll={onAll} />
      ) : (
        <div class="scroll">{table(items)}</div>
      )}
      {items && !problem ? <Pager {...{ view, go, items, next, nouns }} /> : null}
    </>
  );
}

function Empty(props: {
  readonly view: View;
  readonly many: string;
  readonly emptyHint: string;
  readonly onAll: () => void;
}) {
  const { view, many, emptyHint, onAll } = props;
  const { status, pet, page } = view;
  const isFiltered = Boolean(status || pet);
  const filtered = `No ${status} ${many}${pet ? ` of animal ${pet}` : ""}`;
  const unpaged = isFiltered ? filtered : `No ${many} yet`;
  return (
    <section class="empty">
      <h2>{page ? `No more ${many}` : unpaged}</h2>
      {isFiltered ? (
        <p>
          <button type="button" class="button" onClick={onAll}>
            Show all {many}
          </button>
        </p>
      ) : (
        <p class="hint">{page ? `New ${many} appear here.` : emptyHint}</p>
      )}
    </section>
  );
}
