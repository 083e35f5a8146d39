/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Cat } from "../parts/cat.tsx";
import { FeedPanel } from "./feed-panel.tsx";
import { FileActions } from "./file-actions.tsx";
import { LoadingTable } from "./loading-table.tsx";
import { MoreMenu } from "./more-menu.tsx";
import { Pager } from "./pager.tsx";
import { Problem } from "./problem.tsx";
import type { Session } from "./session.ts";
import { StatusFilter } from "./status-filter.tsx";
import type { List } from "./use-list.ts";
import { usePhone } from "./use-phone.ts";
import { type Go, UNFILTERED, type View } from "./view.ts";

interface Props<Item> {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
  readonly list: List<Item>;
  /** What the items are called, in the singular and the plural. */
  readonly nouns: readonly [one: string, many: string];
  /** The filters by status; the empty one is for all. */
  readonly statuses: readonly string[];
  /** Filters to show in addition to the filter by status. */
  readonly filters?: ComponentChildren;
  /** The list's main action. */
  readonly action?: ComponentChildren;
  /** What an empty list that no filter explains offers. */
  readonly empty: ComponentChildren;
  readonly table: (items: readonly Item[]) => ComponentChildren;
}

/** A list of the service: its filters, a page or the reason why there is none, and the buttons to other pages. */
export function ListView<Item extends { readonly id: bigint }>(props: Props<Item>) {
  const { session, view, go, list, nouns, statuses, filters, action, empty, table } = props;
  const { feed, onNewKey } = session;
  const [, many] = nouns;
  const { items, next, problem, load } = list;
  const isPhone = usePhone();
  // A phone has room for it once it is in use.
  const isInMenu = isPhone && !view.pet;
  const onAll = () => go(UNFILTERED);
  // What is new is on the first page.
  const refresh = () => (list.news > 0 && view.page ? go({ page: undefined, trail: [] }) : void load());
  return (
    <>
      <div class="toolbar">
        <StatusFilter
          {...{ statuses, isPhone }}
          chosen={view.status}
          onChoose={(status) => go({ status, page: undefined, trail: [] })}
        />
        {feed ? <FeedPanel feed={feed} onOpen={(animal) => go({ animal })} /> : null}
        <div class="toolbar-end">
          {isInMenu ? null : filters}
          <button type="button" class="button" onClick={refresh}>
            {isPhone ? <RefreshIcon /> : null}
            <span class="wide">Refresh</span>{" "}
            {list.news > 0 ? <span class="count">{list.news} new</span> : null}
          </button>
          <MoreMenu {...{ view, go }}>
            {isInMenu ? filters : null}
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
  const { status, pet, page } = view;
  const isFiltered = Boolean(status || pet);
  const filtered = `No ${status} ${many}${pet ? ` of animal ${pet}` : ""}`;
  const unpaged = isFiltered ? filtered : `No ${many} yet`;
  return (
    <section class="empty">
      {page || isFiltered ? null : <Cat />}
      <h2>{page ? `No more ${many}` : unpaged}</h2>
      {isFiltered ? (
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
