/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Cat } from "../parts/cat.tsx";
import { FeedPanel } from "./feed-panel.tsx";
import { FileActions } from "./file-actions.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { filtersInUse } from "./filters.ts";
import { LoadingTable } from "./loading-table.tsx";
import { MoreMenu } from "./more-menu.tsx";
import { Pager } from "./pager.tsx";
import { Problem } from "./problem.tsx";
import type { Session } from "./session.ts";
import { StatusFilter } from "./status-filter.tsx";
import type { List } from "./use-list.ts";
import { usePhone } from "./use-phone.ts";
import { FIRST_PAGE, type Go, isFiltered, listOf, UNFILTERED, type View } from "./view.ts";

interface Props<Item> {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
  readonly list: List<Item>;
  /** What the items are called, in the singular and the plural. */
  readonly nouns: readonly [one: string, many: string];
  /** The filters by status; the empty one is for all. */
  readonly statuses: readonly string[];
  /** A field that finds one item of the list. */
  readonly finder?: ComponentChildren;
  /** The list's main action. */
  readonly action?: ComponentChildren;
  /** What an empty list that no filter explains offers. */
  readonly empty: ComponentChildren;
  readonly table: (items: readonly Item[]) => ComponentChildren;
}

/** A list of the service: its filters, a page or the reason why there is none, and the buttons to other pages. */
export function ListView<Item extends { readonly id: bigint }>(props: Props<Item>) {
  const { session, view, go, list, nouns, statuses, finder, action, empty, table } = props;
  const { feed, onNewKey } = session;
  const [, many] = nouns;
  const { items, next, problem, load } = list;
  const isPhone = usePhone();
  const fields = <FilterFields {...{ view, go }} />;
  // A phone has room for them once one is in use.
  const isInMenu = isPhone && filtersInUse(view).length === 0;
  const onAll = () => go(UNFILTERED);
  // What is new is on the first page.
  const refresh = () => (list.news > 0 && view.page ? go(FIRST_PAGE) : void load());
  return (
    <>
      <div class="toolbar">
        <StatusFilter
          {...{ statuses, isPhone }}
          chosen={view.status}
          onChoose={(status) => go({ ...FIRST_PAGE, status })}
        />
        {feed ? <FeedPanel feed={feed} onOpen={(animal) => go({ animal })} /> : null}
        <div class="toolbar-end">
          {isPhone ? null : finder}
          {isInMenu ? null : fields}
          <button type="button" class="button" onClick={refresh}>
            {isPhone ? <RefreshIcon /> : null}
            <span class="wide">Refresh</span>{" "}
            {list.news > 0 ? <span class="count">{list.news} new</span> : null}
          </button>
          <MoreMenu {...{ view, go }}>
            {isPhone ? finder : null}
            {isInMenu ? fields : null}
            <FileActions {...{ session, view }} />
          </MoreMenu>
          {action}
        </div>
      </div>
      {problem ? (
        <Problem
          exchange={problem}
          hasRows={items !== undefined && items.length > 0}
          onRetry={load}
          {...{ many, onAll, onNewKey }}
        />
      ) : null}
      {!items ? (
        problem ? null : (
          <LoadingTable of={many} />
        )
      ) : items.length > 0 ? (
        <div class="scroll">{table(items)}</div>
      ) : problem ? null : (
        <Empty {...{ view, many, onAll }}>{empty}</Empty>
      )}
      {items && (items.length > 0 || view.page) ? (
        <Pager {...{ view, go, items, next, nouns }} isCut={list.isCut} />
      ) : null}
    </>
  );
}

function RefreshIcon() {
  return (
    <svg class="refresh" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M16 10a6 6 0 1 1-2-4.5L16.5 8m0-4v4h-4" />
    </svg>
  );
}

function Empty(props: {
  readonly view: View;
  readonly many: string;
  readonly onAll: () => void;
  /** What a list that no filter explains offers. */
  readonly children: ComponentChildren;
}) {
  const { view, many, onAll, children } = props;
  const { page } = view;
  const isPart = isFiltered(view);
  const unpaged = isPart ? `No ${listOf(view)}` : `No ${many} yet`;
  return (
    <section class="empty">
      {page || isPart ? null : <Cat />}
      <h2>{page ? `No more ${many}` : unpaged}</h2>
      {isPart ? (
        <p>
          <button type="button" class="button" onClick={onAll}>
            Show all {many}
          </button>
        </p>
      ) : page ? (
        <p class="hint">New {many} appear here.</p>
      ) : (
        children
      )}
    </section>
  );
}
