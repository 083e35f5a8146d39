/** Lays rows out in columns, for people. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    lines.reduce((width, row) => Math.max(width, Bun.stringWidth(row[column] ?? "")), 0),
  );
  const pad = (cell: string, column: number) =>
    cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return lines.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("");
}
