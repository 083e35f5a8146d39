/**
 * Loads a script that a page does not need at first, and whose address the page's root element names.
 *
 * @throws TypeError if it cannot be loaded
 */
export function loadScript<Exports>(name: "samples" | "feed" | "dialogs" | "palette"): Promise<Exports> {
  return import(new URL(document.documentElement.dataset[name] ?? "", document.baseURI).href);
}
