/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { NOT_LOADED } from "../browser/load-script.ts";
import { closeDropDown } from "./drop-down.tsx";
import { useDroppedFile } from "./files/use-dropped-file.ts";
import { type Dialogs, loadDialogs } from "./load-dialogs.ts";
import type { Session } from "./session.ts";
import type { View } from "./view.ts";

/** Import and export of the list that is shown, as CSV. */
export function FileActions(props: { readonly session: Session; readonly view: View }) {
  const { session, view } = props;
  const { service, forbidden, forbid } = session;
  const [hasFailed, setFailed] = useState(false);
  const use = async (button: Element | undefined, open: (dialogs: Dialogs) => void) => {
    try {
      const dialogs = await loadDialogs();
      setFailed(false);
      if (button) closeDropDown(button);
      open(dialogs);
    } catch {
      setFailed(true);
    }
  };
  const mayImport = view.section === "animals" && !forbidden.has("pets:write");
  const importFile = (button: Element | undefined, dropped?: File) =>
    use(button, ({ openImport }) =>
      openImport({ service, dropped, onForbidden: (message) => forbid("pets:write", message) }),
    );
  const onDrop = (file: File) => {
    // Another dialog, or an import that goes on in a corner, comes first.
    if (!document.querySelector("dialog:modal, .import-corner")) void importFile(undefined, file);
  };
  useDroppedFile(mayImport ? onDrop : undefined);
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={({ currentTarget }) =>
          use(currentTarget, (dialogs) => dialogs.openExport({ service, view }))
        }
      >
        Export as CSV
      </button>
      {mayImport ? (
        <button type="button" class="button" onClick={({ currentTarget }) => importFile(currentTarget)}>
          Import a CSV file
        </button>
      ) : null}
      {hasFailed ? (
        <p class="fault" role="alert">
          {NOT_LOADED}
        </p>
      ) : null}
    </>
  );
}
