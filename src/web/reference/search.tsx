/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchEntry } from "../build/search-index.ts";
import { type Finding, find, wordsOf } from "./find.ts";

const { root = "./", search = "" } = document.documentElement.dataset;

const OPEN = "open-search";

/** What opens search, in the sidebar and in the bar of small screens. */
export function SearchButton({ isSmall = false }: { isSmall?: boolean }) {
  return (
    <button
      type="button"
      class={isSmall ? "icon-button" : "search-button"}
      aria-label={isSmall ? "Search" : undefined}
      onClick={() => document.dispatchEvent(new Event(OPEN))}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="9" cy="9" r="5.5" />
        <path d="m13 13 4 4" />
      </svg>
      {isSmall ? null : (
        <>
          Search <kbd>/</kbd>
        </>
      )}
    </button>
  );
}

/**
 * Search over all of the documentation, in the browser: the index is loaded when search is first opened. It stands
 * outside of the sidebar, which is hidden on small screens.
 */
export function Search() {
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
    const onKey = (event: KeyboardEvent) => {
      const isSlash = event.key === "/" && !(event.target as HTMLElement).matches("input, textarea, select");
      const isK = event.key === "k" && (event.ctrlKey || event.metaKey);
      if (!isSlash && !isK) return;
      event.preventDefault();
      void open();
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener(OPEN, open);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener(OPEN, open);
    };
  });

  const findings = entries ? find(entries, query) : [];
  const close = () => dialog.current?.close();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && findings.length > 0) {
      event.preventDefault();
      setActive((active + step + findings.length) % findings.length);
    }
    if (event.key === "Enter") {
      const chosen = findings[active];
      if (!chosen) return;
      close();
      location.href = root + chosen.entry.to;
    }
  };
  const message = failed
    ? "The search index could not be loaded. Close this and try again."
    : !entries
      ? "Loading…"
      : query.trim() === ""
        ? "Operations, parameters, headers, errors and guides."
        : findings.length === 0
          ? `Nothing found for “${query.trim()}”.`
          : `${findings.length === 1 ? "1 result" : `${findings.length} results`}`;

  // ARIA in HTML allows this role without a `datalist`; Preact's types do not.
  const combobox: object = {
    role: "combobox",
    "aria-expanded": findings.length > 0,
    "aria-controls": "findings",
    "aria-autocomplete": "list",
    "aria-activedescendant": findings.length > 0 ? `finding-${active}` : undefined,
  };
  return (
    <dialog ref={dialog} class="search" aria-label="Search the documentation" closedby="any">
      <div class="search-box">
        <input
          class="input"
          type="text"
          aria-label="Search the documentation"
          placeholder="Search the documentation"
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
        {message}
      </p>
      <div id="findings" role="listbox" aria-label="Results">
        {findings.map((finding, at) => (
          <Result
            key={finding.entry.to}
            finding={finding}
            id={`finding-${at}`}
            isActive={at === active}
            words={wordsOf(query)}
            onChoose={close}
          />
        ))}
      </div>
    </dialog>
  );
}

function Result(props: {
  readonly finding: Finding;
  readonly id: string;
  readonly isActive: boolean;
  readonly words: readonly string[];
  readonly onChoose: () => void;
}) {
  const { finding, id, isActive, words, onChoose } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isActive) link.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  const { title, kind, to } = finding.entry;
  return (
    <a
      ref={link}
      id={id}
      class="finding"
      href={root + to}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      onClick={onChoose}
    >
      <span class="finding-title">
        <Marked text={title} words={words} />
      </span>
      <span class="finding-kind">{kind}</span>
      <span class="finding-text">
        <Marked text={finding.excerpt} words={words} />
      </span>
    </a>
  );
}

/** A text with the words that were searched for set off. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const pattern = new RegExp(`(${words.map(escaped).join("|")})`, "gi");
  return <>{text.split(pattern).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

/** A word as a pattern that matches it alone. `RegExp.escape` is missing before Chrome 136 and Safari 18.2. */
function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
