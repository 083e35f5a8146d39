/** Where the browser keeps something: for the tab, or for every visit. A function, since a browser may forbid the access. */
type Place = () => Storage;

export const IN_TAB: Place = () => sessionStorage;
export const IN_BROWSER: Place = () => localStorage;

/** What was kept as JSON under a name; `fallback` if there is nothing that can be read. */
export function kept<Value>(place: Place, name: string, fallback: Value): Value {
  try {
    return JSON.parse(place().getItem(name) ?? "") as Value;
  } catch {
    return fallback;
  }
}

/** Keeps a value as JSON, where the browser allows it. */
export function keep(place: Place, name: string, value: unknown): void {
  try {
    place().setItem(name, JSON.stringify(value));
  } catch {
    // The value then lasts as long as the page.
  }
}
