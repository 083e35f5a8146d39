import { NOT_LOADED } from "../browser/load-script.ts";
import { TOAST_MS } from "../browser/toast.tsx";

/** The event of the document that opens search. */
export const OPEN_SEARCH = "open-search";

/**
 * Opens search by its keys.
 *
 * @param load loads it when it is first wanted, and opens it; from then on it hears of `OPEN_SEARCH` itself
 */
export function listenForSearch(load: () => Promise<void>): void {
  let isLoading = false;
  document.addEventListener("keydown", (event) => {
    const isSlash = event.key === "/" && !(event.target as HTMLElement).matches("input, textarea, select");
    const isK = event.key === "k" && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isK) return;
    event.preventDefault();
    document.dispatchEvent(new Event(OPEN_SEARCH));
  });
  document.addEventListener(OPEN_SEARCH, async () => {
    if (isLoading) return;
    isLoading = true;
    try {
      await load();
    } catch {
      // The next attempt may find the service again.
      isLoading = false;
      showNotice();
    }
  });
}

/** Says for a moment that search did not come: in the menu that is open, if one is, since it covers the page. */
function showNotice(): void {
  const notice = document.createElement("p");
  Object.assign(notice, { className: "toasts toast", role: "alert", textContent: NOT_LOADED });
  (document.querySelector(":popover-open") ?? document.body).append(notice);
  setTimeout(() => notice.remove(), TOAST_MS);
}
