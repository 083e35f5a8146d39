/** Writes a value as JSON, with bigints as numbers to their last digit. */
export function writeJson(value: unknown): string {
  return JSON.stringify(withNumbers(value));
}

/** What `JSON.stringify` writes as numbers in place of bigints, which it refuses. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : JSON.rawJSON(value.toString());
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withNumbers);
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) copy[name] = withNumbers(copy[name]);
  return copy;
}
