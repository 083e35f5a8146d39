import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { table } from "../cli/table.ts";
import { SETTING_NAMES } from "../config/settings.ts";

/** `animal-store config`: prints the settings in force, and the source of each value. */
export async function showConfig(options: Record<string, unknown>): Promise<void> {
  const { sources, texts, warnings } = configOf(options);
  const output = new Output(options);
  for (const warning of warnings) await output.explain(warning);
  const rows = SETTING_NAMES.map((name) => ({ name, value: texts[name] ?? null, source: sources[name] }));
  const cells = rows.map(({ name, value, source }) => [name, value ?? "-", source]);
  await output.answer(rows, table(["SETTING", "VALUE", "FROM"], cells));
}
