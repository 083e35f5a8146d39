/** Where the browser keeps something: for the tab, or for every visit. A function, since a browser may forbid the access. */
type Place = () => Storage;

export const IN_TAB: Place = () => sessionStorage;
export const IN_BROWSER: Place = () => localStorage;

/** The text that was kept under a name; empty if there is none. */
export function keptText(place: Place, name: string): string {
  try {
    return place().getItem(name) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a text, where the browser allows it. */
export function keepText(place: Place, name: string, text: string): void {
  try {
    place().setItem(name, text);
  } catch {
    // The text then lasts as long as the page.
  }
}

/** What was kept as JSON under a name; `fallback` if there is nothing that can be read. */
export function kept<Value>(place: Place, name: string, fallback: Value): Value {
  try {
    return JSON.parse(keptText(place, name)) as Value;
  } catch {
    return fallback;
  }
}

/** Keeps a value as JSON, where the browser allows it. */
export function keep(place: Place, name: string, value: unknown): void {
  keepText(place, name, JSON.stringify(value));
}
