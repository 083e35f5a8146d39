import { configOf } from "../cli/options.ts";
import { runService } from "../service/run.ts";

/** `animal-store serve`: serves until a signal says stop. */
export async function serve(options: Record<string, unknown>): Promise<void> {
  const { config, warnings } = configOf(options);
  await runService(config, warnings);
}
