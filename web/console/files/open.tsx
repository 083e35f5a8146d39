/** @jsxImportSource preact */
// Loaded when a reader imports or exports for the first time.
import { type ComponentChild, render } from "preact";
import { ExportDialog, type ExportProps } from "./export-dialog.tsx";
import { ImportDialog, type ImportProps } from "./import-dialog.tsx";

export function openImport(props: Omit<ImportProps, "onClose">): void {
  open((onClose) => <ImportDialog {...props} onClose={onClose} />);
}

export function openExport(props: Omit<ExportProps, "onClose">): void {
  open((onClose) => <ExportDialog {...props} onClose={onClose} />);
}

/** Shows a dialog outside the console's own tree, since this script brings its own library. */
function open(dialog: (onClose: () => void) => ComponentChild): void {
  const place = document.body.appendChild(document.createElement("div"));
  const close = () => {
    render(null, place);
    place.remove();
  };
  render(dialog(close), place);
}
