import { csvField } from "../../../csv/field.ts";
import type { Section } from "../filters.ts";
import { MEMBER_NAMES } from "../members.ts";
import { ORDER_TEXTS } from "../order-members.ts";

/** The columns of files, in the order of `animal-store export`. */
const COLUMNS: Readonly<Record<Section, readonly string[]>> = {
  animals: ["id", ...MEMBER_NAMES],
  orders: ["id", "petId", "status", "placedAt", "updatedAt", ...ORDER_TEXTS],
};

/** The first line of a file. */
export function csvHeader(section: Section): string {
  return `${COLUMNS[section].join(",")}\r\n`;
}

/** The line of an animal or an order. */
export function csvLine(section: Section, item: object): string {
  const members = item as Readonly<Record<string, unknown>>;
  return `${COLUMNS[section].map((column) => csvField(String(members[column] ?? ""))).join(",")}\r\n`;
}

/** A whole file. */
export function csvOf(section: Section, items: readonly object[]): string {
  return csvHeader(section) + items.map((item) => csvLine(section, item)).join("");
}
