import { loadScript } from "../browser/load-script.ts";
import type {
  drawJson,
  drawKeptFilters,
  drawSelection,
  openAddAnimal,
  openExport,
  openImport,
} from "./dialogs.tsx";

/** A script of its own, which the page names. */
export interface Dialogs {
  readonly drawJson: typeof drawJson;
  readonly drawKeptFilters: typeof drawKeptFilters;
  readonly drawSelection: typeof drawSelection;
  readonly openAddAnimal: typeof openAddAnimal;
  readonly openExport: typeof openExport;
  readonly openImport: typeof openImport;
}

/** Loads them before they are wanted, so that they open at once. */
export function prepareDialogs(): void {
  // The click that needs them says so.
  loadDialogs().catch(() => {});
}

/** Loads the forms and dialogs, which the table does without. @throws TypeError if they cannot be loaded */
export function loadDialogs(): Promise<Dialogs> {
  return loadScript<Dialogs>("dialogs");
}
