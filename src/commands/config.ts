import { SETTING_NAMES } from "../config.ts";
import { configOf } from "./settings-options.ts";
import { table } from "./table.ts";

/** `animal-store config`: what is in force, and where each value came from. */
export function showConfig(options: Record<string, unknown>): void {
  const { sources, texts } = configOf(options);
  const rows = SETTING_NAMES.map((name) => ({ name, value: texts[name] ?? null, source: sources[name] }));
  if (options.json) {
    console.log(JSON.stringify(rows));
  } else {
    console.log(
      table(
        ["SETTING", "VALUE", "FROM"],
        rows.map(({ name, value, source }) => [name, value ?? "-", source]),
      ),
    );
  }
}
