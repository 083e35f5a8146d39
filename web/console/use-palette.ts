import { useEffect } from "preact/hooks";
import { loadScript } from "../browser/load-script.ts";
import { OPEN_SEARCH } from "../reference/search-button.tsx";
import type { openPalette } from "./palette.tsx";

/** Loads the search when it is first wanted; from then on it listens itself. */
export function usePalette(): void {
  useEffect(() => {
    let end = new AbortController();
    const open = async () => {
      end.abort();
      try {
        (await loadScript<{ readonly openPalette: typeof openPalette }>("palette")).openPalette();
      } catch {
        // The next attempt may find the service again.
        listen();
      }
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void open();
    };
    const listen = () => {
      end = new AbortController();
      document.addEventListener("keydown", onKey, end);
      document.addEventListener(OPEN_SEARCH, open, end);
    };
    listen();
    return () => end.abort();
  }, []);
}
