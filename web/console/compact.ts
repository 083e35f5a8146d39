import { IN_BROWSER, keepText, keptText } from "../browser/kept.ts";

const NAME = "animal-store.compact";
const { classList } = document.documentElement;

if (keptText(IN_BROWSER, NAME)) classList.add("compact");

/** Whether the rows of tables are low, for every visit of this browser. */
export function isCompact(): boolean {
  return classList.contains("compact");
}

export function setCompact(isOn: boolean): void {
  classList.toggle("compact", isOn);
  keepText(IN_BROWSER, NAME, isOn ? "yes" : "");
}
