import { loadScript } from "../browser/load-script.ts";
import type { openAddAnimal, openExport, openImport } from "./dialogs.tsx";

/** A script of its own, which the page names. */
export interface Dialogs {
  readonly openAddAnimal: typeof openAddAnimal;
  readonly openExport: typeof openExport;
  readonly openImport: typeof openImport;
}

/** What a person is told where it does not come. */
export const NOT_LOADED = "A part of this page could not be loaded. Try again.";

/** Loads them before they are wanted, so that they open at once. */
export function prepareDialogs(): void {
  // The click that needs them says so.
  loadDialogs().catch(() => {});
}

/** Loads the forms and dialogs, which the table does without. @throws TypeError if they cannot be loaded */
export function loadDialogs(): Promise<Dialogs> {
  return loadScript<Dialogs>("dialogs");
}
