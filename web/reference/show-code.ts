import { tokensOf } from "../samples/tokens.ts";

/** Shows the code of a sample in place of another, in colors. */
export function showCode(place: HTMLElement, code: string): void {
  const parts = tokensOf(code).map(({ kind, text }) => {
    if (!kind) return text;
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  });
  place.replaceChildren(...parts);
}
