// Runs before the page is shown: styles then know whether scripts run, and which colors were chosen.
import { KEY_NAME } from "./browser/key-name.ts";
import { SCHEME_NAME, SCHEMES } from "./model/schemes.ts";

const root = document.documentElement;
root.classList.add("js");
try {
  const scheme = localStorage.getItem(SCHEME_NAME);
  if (SCHEMES.some((each) => each === scheme)) root.dataset.scheme = scheme ?? "";
  // The console then begins with the shape of its table.
  if (sessionStorage.getItem(KEY_NAME)) root.classList.add("has-key");
} catch {
  // A browser may forbid pages to store anything.
}
