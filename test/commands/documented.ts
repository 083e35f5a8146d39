import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The blocks of SQL on a page of the documentation that follow a text, in their order. */
export function documentedSql(page: string, after: string): string[] {
  const text = readFileSync(join(import.meta.dir, "../../docs", page), "utf8");
  const at = text.indexOf(after);
  if (at < 0) throw new Error(`${page} does not say ${JSON.stringify(after)}`);
  return [...text.slice(at).matchAll(/^```sql\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}
