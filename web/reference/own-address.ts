import { BASE } from "../browser/call.ts";
import { UNKNOWN_BASE } from "../model/unknown-base.ts";

/** Replaces the address that stands for one that the service does not know with the address of this page. */
export function showOwnAddress(): void {
  const root = UNKNOWN_BASE.slice(0, -"/v1".length);
  const own = BASE.href.slice(0, -"/v1/".length);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (text.data.includes(root)) text.data = text.data.replaceAll(root, own);
  }
}
