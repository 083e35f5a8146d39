import { useEffect, useRef } from "preact/hooks";
import { NOT_LOADED } from "../browser/load-script.ts";
import type { AddAnimalProps } from "./add-animal.tsx";
import { loadDialogs } from "./load-dialogs.ts";

/** The form for a new animal, for as long as the component is there. Its script is loaded when it is first wanted. */
export function AddForm(props: AddAnimalProps & { readonly onProblem: (text: string) => void }): null {
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    let close: (() => void) | undefined;
    let isGone = false;
    loadDialogs().then(
      ({ openAddAnimal }) => {
        if (isGone) return;
        close = openAddAnimal({
          session: latest.current.session,
          onAdded: (animal) => latest.current.onAdded(animal),
          onAddedBefore: (animal) => latest.current.onAddedBefore(animal),
          onOpen: (animal) => latest.current.onOpen(animal),
          onClose: () => latest.current.onClose(),
        });
      },
      () => latest.current.onProblem(NOT_LOADED),
    );
    return () => {
      isGone = true;
      close?.();
    };
  }, []);
  return null;
}
