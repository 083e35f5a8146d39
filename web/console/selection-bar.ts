import { useEffect, useRef } from "preact/hooks";
import { loadDialogs } from "./load-dialogs.ts";
import type { SelectionProps } from "./selection.tsx";

type Props = SelectionProps & { readonly onProblem: () => void };

/** What can be done with the animals that are chosen. Its script is loaded with the first of them. */
export function SelectionBar(props: Props): null {
  const show = useRef<(props: SelectionProps | undefined) => void>(undefined);
  /** `undefined` once the list is gone: the script may come later, and then shows nothing. */
  const latest = useRef<Props | undefined>(props);
  latest.current = props;
  const isWanted = props.animals.length > 0;
  useEffect(() => {
    if (!isWanted || show.current) return;
    loadDialogs().then(
      ({ openSelection }) => {
        show.current ??= openSelection();
        show.current(latest.current);
      },
      () => latest.current?.onProblem(),
    );
  }, [isWanted]);
  useEffect(() => show.current?.(props));
  useEffect(
    () => () => {
      latest.current = undefined;
      show.current?.(undefined);
    },
    [],
  );
  return null;
}
