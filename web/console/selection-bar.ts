import { useEffect, useRef } from "preact/hooks";
import { loadDialogs } from "./load-dialogs.ts";
import type { SelectionProps } from "./selection.tsx";

/** What can be done with the animals that are chosen. Its script is loaded with the first of them. */
export function SelectionBar(props: SelectionProps & { readonly onProblem: () => void }): null {
  const show = useRef<(props: SelectionProps | undefined) => void>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const isWanted = props.animals.length > 0;
  useEffect(() => {
    if (!isWanted || show.current) return;
    loadDialogs().then(
      ({ openSelection }) => {
        show.current ??= openSelection();
        show.current(latest.current);
      },
      () => latest.current.onProblem(),
    );
  }, [isWanted]);
  useEffect(() => show.current?.(props));
  useEffect(() => () => show.current?.(undefined), []);
  return null;
}
