import { useEffect } from "preact/hooks";

/** Has the browser ask before it leaves the page, for as long as something runs. */
export function useAskBeforeLeaving(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isRunning]);
}
