import { useState } from "preact/hooks";

let made = 0;

/** An id of the page's own for a component: `useId` begins again in each of Preact's roots, and this page has several. */
export function usePageId(): string {
  const [id] = useState(() => `own-${++made}`);
  return id;
}
