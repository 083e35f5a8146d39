import type { Spread } from "../spread.ts";
import type { Column, Row, Section } from "./section.ts";

/** Renders a section as Markdown whose tables also read well on a terminal. */
export function renderSection({ title, notes, columns, rows }: Section): string {
  const parts = [`### ${title}`];
  if (rows.length > 0) parts.push(figuresTable(columns, rows));
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`).join("\n"));
  return parts.join("\n\n");
}

function figuresTable(columns: readonly Column[], rows: readonly Row[]): string {
  const cells = rows.map(({ name, figures }) => [
    name,
    ...columns.map(({ key, digits }) => {
      const value = figures[key];
      return value ? show(value, digits) : "";
    }),
  ]);
  return table(["", ...columns.map(({ label }) => label)], cells);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((label, column) =>
    Math.max(3, ...[label, ...rows.map((row) => row[column] ?? "")].map((cell) => Bun.stringWidth(cell))),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        const padding = " ".repeat(width - Bun.stringWidth(cell));
        return column === 0 ? cell + padding : padding + cell;
      })
      .join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** The median, and in parentheses the ends of its interval, or the least and the greatest value, where they differ. */
export function show({ median, min, max }: Spread, digits: number): string {
  const [middle, least, most] = [median, min, max].map((value) => number(value, digits));
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}

export function number(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
