/** @jsxImportSource preact */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { rememberPlace } from "../browser/recent.ts";
import type { SearchEntry } from "../model/search-entry.ts";
import { type Finding, find } from "./find.ts";
import { firstPlaces, type Group } from "./first-places.ts";
import { OPEN_SEARCH } from "./listen-for-search.ts";
import { SearchIcon } from "./search-button.tsx";
import { addressOf, SearchResult } from "./search-result.tsx";

const { search = "" } = document.documentElement.dataset;

/** What keys do, for somebody who has some. */
export type Keys = readonly (readonly [keys: readonly string[], effect: string])[];

const KEYS: Keys = [
  [["↑", "↓"], "choose"],
  [["↵"], "open"],
  [["esc"], "close"],
];

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
  /** The name of what an address of this page shows, where there is one. */
  readonly nameOf?: (to: string) => string | undefined;
  /** Keys of this page, which search names with its own. */
  readonly keys?: Keys;
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

  const ask = (text: string) => {
    setQuery(text);
    setActive(0);
  };
  const open = async () => {
    if (!dialog.current?.open) ask("");
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
  const groups: readonly Group[] = isAsked
    ? [
        {
          findings: [
            ...(props.itemsOf?.(query) ?? []),
            ...(entries ? find([...views, ...entries], query) : []),
          ],
        },
      ]
    : firstPlaces(props.views ?? entries ?? [], (to) => props.nameOf?.(to));
  const findings = groups.flatMap((group) => group.findings);
  const choose = (finding: Finding) => {
    close();
    const { entry } = finding;
    // Of what the console shows, it remembers itself what was there.
    if (!entry.to.startsWith("?")) rememberPlace(entry);
    if (!props.onView || !entry.to.startsWith("?")) return false;
    props.onView(entry.to);
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
        <SearchIcon />
        <input
          type="text"
          aria-label={label}
          placeholder="Search…"
          {...combobox}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => ask(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="button small quiet" onClick={close}>
          Close
        </button>
      </div>
      <div id="findings" role="listbox" aria-label="Results">
        {groups.map(({ title, findings: own }) => {
          const first = findings.indexOf(own[0] as Finding);
          const results = own.map((finding, at) => (
            <SearchResult
              key={`${finding.entry.to} ${finding.entry.title}`}
              finding={finding}
              id={`finding-${first + at}`}
              isActive={first + at === active}
              onChoose={(event) => {
                if (choose(finding)) event.preventDefault();
              }}
            />
          ));
          return title ? (
            // biome-ignore lint/a11y/useSemanticElements: ARIA allows a group in a listbox, and no fieldset.
            <div key={title} role="group" aria-label={title}>
              <p class="hint" aria-hidden="true">
                {title}
              </p>
              {results}
            </div>
          ) : (
            results
          );
        })}
      </div>
      <div class="search-foot hint">
        <p role="status">{message()}</p>
        <p class="search-keys">
          {[...KEYS, ...(props.keys ?? [])].map(([keys, effect]) => (
            <span key={effect}>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}{" "}
              {effect}
            </span>
          ))}
        </p>
      </div>
    </dialog>
  );
}
