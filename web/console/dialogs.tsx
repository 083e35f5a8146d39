/** @jsxImportSource preact */
// Loaded when a reader adds, imports or exports for the first time.
import { type ComponentChild, render } from "preact";
import { AddAnimal, type AddAnimalProps } from "./add-animal.tsx";
import { ExportDialog, type ExportProps } from "./files/export-dialog.tsx";
import { ImportDialog, type ImportProps } from "./files/import-dialog.tsx";
import { Selection, type SelectionProps } from "./selection.tsx";

export function openImport(props: Omit<ImportProps, "onClose">): void {
  const close = open(<ImportDialog {...props} onClose={() => close()} />);
}

export function openExport(props: Omit<ExportProps, "onClose">): void {
  const close = open(<ExportDialog {...props} onClose={() => close()} />);
}

/** @returns what takes the form away */
export function openAddAnimal(props: AddAnimalProps): () => void {
  return open(<AddAnimal {...props} />);
}

/** @returns what shows the selection as it is then; `undefined` takes it away for good */
export function openSelection(): (props: SelectionProps | undefined) => void {
  const place = document.body.appendChild(document.createElement("div"));
  return (props) => {
    render(props ? <Selection {...props} /> : null, place);
    if (!props) place.remove();
  };
}

/** Shows a dialog outside the console's own tree, since this script brings its own library. */
function open(dialog: ComponentChild): () => void {
  const place = document.body.appendChild(document.createElement("div"));
  render(dialog, place);
  return () => {
    render(null, place);
    place.remove();
  };
}
