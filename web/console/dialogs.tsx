/** @jsxImportSource preact */
// Loaded when a reader adds, imports or exports for the first time.
import { render } from "preact";
import { AddAnimal, type AddAnimalProps } from "./add-animal.tsx";
import { ExportDialog, type ExportProps } from "./files/export-dialog.tsx";
import { ImportDialog, type ImportProps } from "./files/import-dialog.tsx";
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

/** @returns what shows the selection as it is then; `undefined` takes it away for good */
export function openSelection(): (props: SelectionProps | undefined) => void {
  const place = document.body.appendChild(document.createElement("div"));
  return (props) => {
    render(props ? <Selection {...props} /> : null, place);
    if (!props) place.remove();
  };
}
