/** @jsxImportSource preact */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchEntry } from "../model/search-entry.ts";
import { type Finding, find, isOperation } from "./find.ts";
import { OPEN_SEARCH } from "./listen-for-search.ts";
import { addressOf, SearchResult } from "./search-result.tsx";

const { search = "" } = document.documentElement.dataset;

/** The kind of the places of the page that search was opened on. */
export const HERE = "Console";

/** The keys of search. */
export const KEYS = "↑ ↓ choose, Enter opens, Esc closes.";

/** What is offered before anything is typed: the places of this page, or the operations. */
function firstOf(entries: readonly SearchEntry[]): readonly Finding[] {
  return entries
    .filter(({ kind }) => kind === HERE || isOperation(kind))
    .map((entry) => ({ entry, marks: [], excerpt: "" }));
}

/**
 * Search over all of the documentation, in the browser: open at first, and with an index that is loaded then. The dialog
 * is outside the sidebar, which is hidden on small screens.
 */
export function Search(props: {
  /** What can be found, for somebody who has not typed yet. */
  readonly about?: string;
  /** Places of this page that are found besides those of the documentation. */
  readonly views?: readonly SearchEntry[];
  /** What a query names without its standing anywhere; it comes first. */
  readonly itemsOf?: (query: string) => readonly Finding[];
  /** The keys of this page, in place of those of search alone. */
  readonly keys?: string;
  /** Shows a place of this page. */
  readonly onView?: (to: string) => void;
}) {
  const { about = "Operations, parameters, headers, errors and guides.", views = [] } = props;
  const label = props.views ? "Search the console and the documentation" : "Search the documentation";
  const dialog = useRef<HTMLDialogElement>(null);
  const [entries, setEntries] = useState<readonly SearchEntry[]>();
  const [failed, setFailed] = useState(false);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);

  const open = async () => {
    dialog.current?.showModal();
    if (entries) return;
    try {
      setEntries((await (await fetch(search)).json()) as SearchEntry[]);
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  useLayoutEffect(() => {
    document.addEventListener(OPEN_SEARCH, open);
    return () => document.removeEventListener(OPEN_SEARCH, open);
  });

  useLayoutEffect(() => void open(), []);
  const isAsked = query.trim() !== "";
  const findings = isAsked
    ? [...(props.itemsOf?.(query) ?? []), ...(entries ? find([...views, ...entries], query) : [])]
    : firstOf(props.views ?? entries ?? []);
  const choose = (finding: Finding) => {
    close();
    if (!finding.entry.to.startsWith("?")) return false;
    props.onView?.(finding.entry.to);
    return true;
  };
  const close = () => dialog.current?.close();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && findings.length > 0) {
      event.preventDefault();
      setActive((active + step + findings.length) % findings.length);
    }
    if (event.key === "Enter") {
      const chosen = findings[active];
      if (chosen && !choose(chosen)) location.href = addressOf(chosen);
    }
  };
  const message = () => {
    if (failed) return "The search index could not be loaded. Close this and try again.";
    if (!entries) return "Loading…";
    if (!isAsked) return about;
    if (findings.length === 0) return `Nothing found for “${query.trim()}”.`;
    return findings.length === 1 ? "1 result" : `${findings.length} results`;
  };

  // ARIA in HTML allows this role without a `datalist`; Preact's types do not.
  const combobox: object = {
    role: "combobox",
    "aria-expanded": findings.length > 0,
    "aria-controls": "findings",
    "aria-autocomplete": "list",
    "aria-activedescendant": findings.length > 0 ? `finding-${active}` : undefined,
  };
  return (
    <dialog ref={dialog} class="search" aria-label={label} closedby="any">
      <div class="search-box">
        <input
          class="input"
          type="text"
          aria-label={label}
          placeholder={label}
          {...combobox}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="button small" onClick={close}>
          Close
        </button>
      </div>
      <p class="hint" role="status">
        {message()}
      </p>
      <p class="hint search-keys">{props.keys ?? KEYS}</p>
      <div id="findings" role="listbox" aria-label="Results">
        {findings.map((finding, at) => (
          <SearchResult
            key={`${finding.entry.to} ${finding.entry.title}`}
            finding={finding}
            id={`finding-${at}`}
            isActive={at === active}
            onChoose={(event) => {
              if (choose(finding)) event.preventDefault();
            }}
          />
        ))}
      </div>
    </dialog>
  );
}
