/** Writes a value as JSON, with bigints as numbers to their last digit. */
export function writeJson(value: unknown): string {
  return JSON.stringify(holdsBigint(value) ? withNumbers(value) : value);
}

/** Looking costs less than copying, and most values hold no bigint. */
function holdsBigint(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  if (Array.isArray(value)) return value.some(holdsBigint);
  for (const name in value) if (holdsBigint(value[name as keyof typeof value])) return true;
  return false;
}

/** Replaces bigints, which `JSON.stringify` refuses, with values that it writes as numbers. */
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
