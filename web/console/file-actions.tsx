/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { loadScript } from "../browser/load-script.ts";
import { closeDropDown } from "./drop-down.tsx";
import type { openExport, openImport } from "./files/open.tsx";
import type { Session } from "./session.ts";
import type { View } from "./view.ts";

/** A script of its own, which the page names. */
interface FilesScript {
  readonly openExport: typeof openExport;
  readonly openImport: typeof openImport;
}

/** Import and export of the list that is shown, as CSV. */
export function FileActions(props: {
  readonly session: Session;
  readonly view: View;
  readonly onAdded: () => void;
}) {
  const { session, view, onAdded } = props;
  const { service, forbidden, forbid } = session;
  const [hasFailed, setFailed] = useState(false);
  const use = async (button: Element, open: (script: FilesScript) => void) => {
    try {
      const script = await loadScript<FilesScript>("files");
      setFailed(false);
      closeDropDown(button);
      open(script);
    } catch {
      setFailed(true);
    }
  };
  const mayImport = view.section === "animals" && !forbidden.has("pets:write");
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={({ currentTarget }) => use(currentTarget, (script) => script.openExport({ service, view }))}
      >
        Export as CSV
      </button>
      {mayImport ? (
        <button
          type="button"
          class="button"
          onClick={({ currentTarget }) =>
            use(currentTarget, (script) =>
              script.openImport({
                service,
                onAdded,
                onForbidden: (message) => forbid("pets:write", message),
              }),
            )
          }
        >
          Import a CSV file
        </button>
      ) : null}
      {hasFailed ? (
        <p class="fault" role="alert">
          A part of this page could not be loaded. Try again.
        </p>
      ) : null}
    </>
  );
}
