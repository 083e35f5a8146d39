import { BASE } from "../browser/base.ts";
import { UNKNOWN_BASE } from "../model/unknown-base.ts";

const ROOT = UNKNOWN_BASE.slice(0, -"/v1".length);
const OWN = BASE.href.slice(0, -"/v1/".length);

/** A text with the address of this page in place of the address that stands for an unknown one. */
export function withOwnAddress(text: string): string {
  return text.replaceAll(ROOT, OWN);
}

/** Shows the address of this page wherever the text has the address that stands for an unknown one. */
export function showOwnAddress(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (text.data.includes(ROOT)) text.data = withOwnAddress(text.data);
  }
}
