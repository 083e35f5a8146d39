import { BASE } from "../browser/call.ts";
import { UNKNOWN_BASE } from "../model/unknown-base.ts";

const ROOT = UNKNOWN_BASE.slice(0, -"/v1".length);
const OWN = BASE.href.slice(0, -"/v1/".length);

/** A text with the address of this page in place of the one that the service does not know. */
export function withOwnAddress(text: string): string {
  return text.replaceAll(ROOT, OWN);
}

/** Replaces the address that stands for one that the service does not know with the address of this page. */
export function showOwnAddress(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (text.data.includes(ROOT)) text.data = withOwnAddress(text.data);
  }
}
