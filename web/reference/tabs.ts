const NAME = "animal-store.language";

/** Turns lists of samples into tabs. A choice applies to all of them, and to the next visit. */
export function makeTabs(): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-samples]")].map(tabsOf);
  const choose = (language: string) => {
    for (const select of all) select(language);
  };
  for (const button of document.querySelectorAll<HTMLElement>("[role=tab]")) {
    button.addEventListener("click", () => {
      const before = button.getBoundingClientRect().top;
      choose(button.dataset.language ?? "");
      remember(button.dataset.language ?? "");
      // Samples above this one have changed their height: the clicked tab stays under the pointer.
      window.scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
    });
  }
  choose(remembered());
}

/** Adds the tabs of one sample. @returns a function that selects the tab of a language */
function tabsOf(samples: HTMLElement, number: number): (language: string) => void {
  const panels = [...samples.querySelectorAll<HTMLElement>(":scope > section")];
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the sample");
  const tabs = panels.map((panel, at) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${number}-${at}`;
    tab.textContent = panel.querySelector("h3")?.textContent ?? "";
    tab.dataset.language = panel.dataset.language ?? "";
    tab.setAttribute("role", "tab");
    panel.id = `panel-${number}-${at}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", panel.id);
    list.append(tab);
    return tab;
  });
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const at = tabs.indexOf(document.activeElement as HTMLButtonElement);
    const next = step && tabs.at((at + step) % tabs.length);
    if (!next) return;
    next.click();
    next.focus();
  });
  samples.prepend(list);
  samples.classList.add("ready");
  return (language) => {
    const found = panels.findIndex((panel) => panel.dataset.language === language);
    const selected = Math.max(0, found);
    for (const [at, panel] of panels.entries()) {
      panel.hidden = at !== selected;
      tabs[at]?.setAttribute("aria-selected", String(at === selected));
      if (tabs[at]) tabs[at].tabIndex = at === selected ? 0 : -1;
    }
  };
}

function remembered(): string {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

function remember(language: string): void {
  try {
    localStorage.setItem(NAME, language);
  } catch {
    // A browser may forbid pages to store anything.
  }
}
