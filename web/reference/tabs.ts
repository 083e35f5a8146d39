import { IN_BROWSER, keepText, keptText } from "../browser/kept.ts";
import { onKeyChange, shortened, storedKey } from "../browser/key.ts";
import { loadSamples } from "./load-samples.ts";
import { showCode } from "./show-code.ts";

const NAME = "animal-store.language";
/** The language of the samples that the page brings. */
const FIRST = "curl";

/** The samples of one operation. */
interface Samples {
  /** Of the operation. */
  readonly id: string;
  readonly tabs: readonly HTMLButtonElement[];
  readonly panel: HTMLElement;
  readonly code: HTMLElement;
  readonly failure: HTMLElement;
  /** The samples with what a reader has entered, by language. */
  entered?: ReadonlyMap<string, string>;
}

const all = new Map<string, Samples>();
/** The samples that were loaded, by language, each by operation. */
const loaded = new Map<string, ReadonlyMap<string, string>>();
let shown = FIRST;
let wanted = FIRST;

/**
 * Turns the links to samples in other languages into tabs. A choice applies to all operations, and to the next visit. A
 * language is loaded once a reader chooses it, since most readers choose one.
 */
export function makeTabs(): void {
  const places = document.querySelectorAll<HTMLElement>("[data-samples-of]");
  for (const [number, place] of places.entries()) {
    const made = tabsOf(place, number);
    all.set(made.id, made);
  }
  loaded.set(FIRST, new Map([...all].map(([id, { code }]) => [id, code.textContent ?? ""])));
  const [first] = all.values();
  const remembered = keptText(IN_BROWSER, NAME);
  const tab = first?.tabs.find(({ dataset }) => dataset.language === remembered);
  if (tab) void choose(tab);
  const drawAll = () => {
    for (const each of all.values()) draw(each);
  };
  if (storedKey()) drawAll();
  onKeyChange(drawAll);
}

/** Shows the samples of an operation with what a reader has entered. */
export function replaceSamples(operation: string, entered: ReadonlyMap<string, string>): void {
  const samples = all.get(operation);
  if (!samples) return;
  samples.entered = entered;
  draw(samples);
}

/** Adds the tabs of one operation's samples. All of them share a panel. */
function tabsOf(place: HTMLElement, number: number): Samples {
  const panel = place.querySelector("section") as HTMLElement;
  panel.id = `samples-${number}`;
  panel.setAttribute("role", "tabpanel");
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the sample");
  const tabs = [...place.querySelectorAll<HTMLElement>("[data-language][data-title]")].map((source) => {
    const tab = document.createElement("button");
    tab.type = "button";
    const { language = "", title = "" } = source.dataset;
    tab.id = `tab-${number}-${language}`;
    tab.textContent = title;
    Object.assign(tab.dataset, { language, href: source.getAttribute("href") ?? "" });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    tab.addEventListener("click", () => {
      keepText(IN_BROWSER, NAME, language);
      void choose(tab);
    });
    list.append(tab);
    return tab;
  });
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const next =
      step && tabs.at((tabs.indexOf(document.activeElement as HTMLButtonElement) + step) % tabs.length);
    if (!next) return;
    next.click();
    next.focus();
  });
  const failure = document.createElement("p");
  failure.className = "fault";
  failure.setAttribute("role", "alert");
  place.prepend(list, failure);
  place.querySelector(".other-languages")?.remove();
  const samples = {
    id: place.dataset.samplesOf ?? "",
    tabs,
    panel,
    failure,
    code: panel.querySelector("code") as HTMLElement,
  };
  mark(samples);
  return samples;
}

async function choose(tab: HTMLButtonElement): Promise<void> {
  const { language = "", href = "" } = tab.dataset;
  wanted = language;
  const samples = loaded.get(language) ?? (await loadSamples(href).catch(() => undefined));
  if (samples) loaded.set(language, samples);
  if (wanted !== language) return;
  const before = tab.getBoundingClientRect().top;
  if (samples) shown = language;
  const failure = samples ? "" : `The samples in ${tab.textContent} could not be loaded. Choose them again.`;
  for (const each of all.values()) {
    each.failure.textContent = failure;
    draw(each);
  }
  // Samples above this one have changed their height: the clicked tab stays under the pointer.
  window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
}

function draw(samples: Samples): void {
  showCode(samples.code, withKey(samples.entered?.get(shown) ?? loaded.get(shown)?.get(samples.id) ?? ""));
  mark(samples);
}

/**
 * A sample for a terminal with the reader's own key, shortened, since somebody may look on: a copy has the whole of it. A
 * program reads the key from its environment.
 */
function withKey(code: string): string {
  const key = storedKey();
  return key && shown === FIRST ? code.replaceAll("$API_KEY", shortened(key)) : code;
}

/** Marks the tab of the language that is shown. */
function mark({ tabs, panel }: Samples): void {
  for (const tab of tabs) {
    const isShown = tab.dataset.language === shown;
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    if (!isShown) continue;
    panel.setAttribute("aria-labelledby", tab.id);
    panel.dataset.language = shown;
    // On paper, the heading names the language.
    (panel.querySelector("h3") as HTMLElement).textContent = tab.textContent;
  }
}
