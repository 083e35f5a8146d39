import { SETTING_NAMES } from "../config.ts";
import { print } from "./print.ts";
import { configOf } from "./settings-options.ts";
import { table } from "./table.ts";

/** `animal-store config`: what is in force, and where each value came from. */
export async function showConfig(options: Record<string, unknown>): Promise<void> {
  const { sources, texts } = configOf(options);
  const rows = SETTING_NAMES.map((name) => ({ name, value: texts[name] ?? null, source: sources[name] }));
  const cells = rows.map(({ name, value, source }) => [name, value ?? "-", source]);
  await print(options.json ? `${JSON.stringify(rows)}\n` : table(["SETTING", "VALUE", "FROM"], cells));
}
