import { useEffect, useRef } from "preact/hooks";

/**
 * Calls a function with a file that is dropped anywhere on the page. Without a function, the browser does as it does: it opens
 * the file in place of the page.
 */
export function useDroppedFile(onFile: ((file: File) => void) | undefined): void {
  const latest = useRef(onFile);
  latest.current = onFile;
  const isWanted = onFile !== undefined;
  useEffect(() => {
    if (!isWanted) return;
    const end = new AbortController();
    const { classList } = document.body;
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    const onDrag = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      classList.add("dropping");
    };
    const onLeave = ({ relatedTarget }: DragEvent) => {
      if (!relatedTarget) classList.remove("dropping");
    };
    const onDrop = (event: DragEvent) => {
      classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      latest.current?.(file);
    };
    document.addEventListener("dragover", onDrag, end);
    document.addEventListener("dragleave", onLeave, end);
    document.addEventListener("drop", onDrop, end);
    return () => end.abort();
  }, [isWanted]);
}
