/** @jsxImportSource preact */
import { render } from "preact";
import { CopyButton } from "../browser/copy.tsx";
import { withWholeKey } from "../browser/key.ts";
import { loadScript } from "../browser/load-script.ts";
import { rememberPlace } from "../browser/recent.ts";
import { SchemeChoice } from "../browser/scheme.tsx";
import { CopyMarkdown } from "./copy-markdown.tsx";
import { listenForSearch } from "./listen-for-search.ts";
import { markSection } from "./mark-section.ts";
import type { openSearch } from "./open-search.tsx";
import { showOwnAddress } from "./own-address.ts";
import { SearchButton } from "./search-button.tsx";
import { showCurrent } from "./show-current.ts";

/** Adds to a page below `/docs` what only a script can do. The page can be read without it. */
export function enhancePage(): void {
  showOwnAddress();
  markSection();
  showCurrent();
  for (const code of document.querySelectorAll<HTMLElement>(".code")) {
    const place = code.appendChild(document.createElement("div"));
    const text = () => withWholeKey(code.querySelector("pre")?.textContent ?? "");
    render(<CopyButton text={text} />, place);
  }
  addCopyMarkdown();
  for (const place of document.querySelectorAll<HTMLElement>("[data-search-button]"))
    render(<SearchButton isSmall={place.dataset.searchButton === "small"} />, place);
  for (const place of document.querySelectorAll<HTMLElement>("[data-scheme-choice]"))
    render(<SchemeChoice id="scheme" />, place);
  listenForSearch(async () =>
    (await loadScript<{ readonly openSearch: typeof openSearch }>("palette")).openSearch(),
  );
  closeMenuAfterUse();
  rememberPage();
}

/** Lets search offer this page again. */
function rememberPage(): void {
  const title = document.querySelector("h1:not([data-missing])")?.textContent;
  const root = new URL(document.documentElement.dataset.root ?? "", location.href);
  if (title) rememberPlace({ to: (location.origin + location.pathname).slice(root.href.length), title });
}

function addCopyMarkdown(): void {
  const markdown = document.querySelector<HTMLLinkElement>("link[type='text/markdown']");
  const title = document.querySelector("h1");
  if (!markdown || !title) return;
  const place = document.createElement("div");
  place.className = "copy-markdown";
  title.after(place);
  render(<CopyMarkdown from={markdown.href} />, place);
}

/** The menu of a small screen covers what its links lead to. */
function closeMenuAfterUse(): void {
  const sidebar = document.getElementById("sidebar");
  sidebar?.addEventListener("toggle", showCurrent);
  sidebar?.addEventListener("click", ({ target }) => {
    if ((target as HTMLElement).closest("a") && sidebar.matches(":popover-open")) sidebar.hidePopover();
  });
}
