import { useEffect } from "preact/hooks";
import { rememberPlace } from "../browser/recent.ts";

/** Lets search offer again what is shown. @param to `undefined` until it is there */
export function useRemembered(to: string | undefined, title: string): void {
  useEffect(() => {
    if (to) rememberPlace({ to, title });
  }, [to, title]);
}
