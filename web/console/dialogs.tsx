/** @jsxImportSource preact */
// Loaded when a reader adds, chooses, imports or exports for the first time, opens the menu of a list or looks at a response.
import { render } from "preact";
import { Json } from "../browser/json.tsx";
import { AddAnimal, type AddAnimalProps } from "./add-animal.tsx";
import { ExportDialog, type ExportProps } from "./files/export-dialog.tsx";
import { ImportDialog, type ImportProps } from "./files/import-dialog.tsx";
import { KeptFilterList, type KeptFilterListProps } from "./kept-filter-list.tsx";
import { openDialog } from "./open-dialog.ts";
import { Selection, type SelectionProps } from "./selection.tsx";

export function openImport(props: Omit<ImportProps, "onClose">): void {
  const close = openDialog(<ImportDialog {...props} onClose={() => close()} />);
}

export function openExport(props: Omit<ExportProps, "onClose">): void {
  const close = openDialog(<ExportDialog {...props} onClose={() => close()} />);
}

/** @returns what takes the form away */
export function openAddAnimal(props: AddAnimalProps): () => void {
  return openDialog(<AddAnimal {...props} />);
}

/** Draws what can be done with the animals that are chosen. */
export function drawSelection(place: Element, props: SelectionProps): void {
  render(<Selection {...props} />, place);
}

/** Draws the filters that this browser keeps. */
export function drawKeptFilters(place: Element, props: KeptFilterListProps): void {
  render(<KeptFilterList {...props} />, place);
}

/** Draws the body of a response. */
export function drawJson(place: Element, text: string): void {
  render(<Json text={text} />, place);
}
