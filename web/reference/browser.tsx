/** @jsxImportSource preact */
// What a script adds to the pages below /docs, all of which can be read without it.
import { render } from "preact";
import { CopyButton } from "../browser/copy.tsx";
import { SchemeChoice } from "../browser/scheme.tsx";
import { CopyMarkdown } from "./copy-markdown.tsx";
import { KeyField } from "./key-field.tsx";
import { markSection } from "./mark-section.ts";
import { showOwnAddress } from "./own-address.ts";
import { Search } from "./search.tsx";
import { SearchButton } from "./search-button.tsx";
import { showCurrent } from "./show-current.ts";
import { makeTabs } from "./tabs.ts";
import { Try } from "./try.tsx";
import type { TryModel } from "./try-model.ts";

showOwnAddress();
makeTabs();
markSection();
showCurrent();

for (const code of document.querySelectorAll<HTMLElement>(".code")) {
  const place = code.appendChild(document.createElement("div"));
  render(<CopyButton text={() => code.querySelector("pre")?.textContent ?? ""} />, place);
}

const markdown = document.querySelector<HTMLLinkElement>("link[type='text/markdown']");
const title = document.querySelector("h1");
if (markdown && title) {
  const place = document.createElement("div");
  place.className = "copy-markdown";
  title.after(place);
  render(<CopyMarkdown from={markdown.href} />, place);
}

for (const place of document.querySelectorAll<HTMLElement>("[data-try]")) {
  render(<Try model={JSON.parse(place.dataset.try ?? "") as TryModel} />, place);
}

for (const place of document.querySelectorAll<HTMLElement>("[data-search-button]")) {
  render(<SearchButton isSmall={place.dataset.searchButton === "small"} />, place);
}
for (const place of document.querySelectorAll<HTMLElement>("[data-scheme-choice]")) {
  render(<SchemeChoice id="scheme" />, place);
}
render(<Search />, document.body.appendChild(document.createElement("div")));
const key = document.getElementById("key");
if (key) render(<KeyField />, key);

// The menu of a small screen covers what its links lead to.
const sidebar = document.getElementById("sidebar");
sidebar?.addEventListener("toggle", showCurrent);
sidebar?.addEventListener("click", ({ target }) => {
  if ((target as HTMLElement).closest("a") && sidebar.matches(":popover-open")) sidebar.hidePopover();
});
