import { openSchema } from "../stores/open-schema.ts";
import { CommandFailure } from "./failure.ts";
import { explain, print } from "./print.ts";
import { reportWaiting } from "./report-waiting.ts";
import { configOf } from "./settings-options.ts";

/** `animal-store migrate`: changes the schema of the store, for a service whose role may not. */
export async function migrateStore(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const schema = await openSchema(config.DATABASE_URL, reportWaiting);
  try {
    const { version, wanted } = schema;
    if (options.json) await print(`${JSON.stringify({ version, wanted })}\n`);
    if (version === wanted) {
      await explain(`The schema is at version ${wanted}: there is nothing to do.`);
      return;
    }
    const found = version === 0 ? "There is no store yet" : `The schema is at version ${version}`;
    if (options.check) {
      throw new CommandFailure(
        `${found}; this program needs version ${wanted}: run \`animal-store migrate\`.`,
      );
    }
    await schema.migrate();
    await explain(version === 0 ? "The store is made." : `The schema is now at version ${wanted}.`);
  } finally {
    await schema.close();
  }
}
