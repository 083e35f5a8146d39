import { useState } from "preact/hooks";

let made = 0;

/** An id that is unique on the page. The ids of `useId` repeat in each of Preact's roots, and the reference has several. */
export function usePageId(): string {
  const [id] = useState(() => `own-${++made}`);
  return id;
}
