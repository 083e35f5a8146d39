import { reportWaiting } from "../cli/report-waiting.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { CommandFailure } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { openSchema } from "../stores/open.ts";

/** `animal-store migrate`: migrates the schema of the store, for a service whose database role may not. */
export async function migrateStore(options: Options): Promise<void> {
  const { config, output, storeName: store } = new StoreCommand(options);
  using interruption = new Interruption(`The schema of ${store} is unchanged.`);
  const schema = await openSchema(config.DATABASE_URL, reportWaiting(output));
  try {
    const { version, wanted } = schema;
    const facts = { store, version, wanted };
    if (version === wanted) {
      const sentence = `The schema of ${store} is at version ${wanted}; there is nothing to do.`;
      return await output.report(facts, sentence);
    }
    const found =
      version === 0 ? `There is no store at ${store} yet` : `The schema of ${store} is at version ${version}`;
    if (options.check) {
      if (options.json) await output.report(facts, "");
      throw new CommandFailure(
        `${found}; this program needs version ${wanted}: run \`animal-store migrate\`.`,
      );
    }
    interruption.outcome = `The schema of ${store} is either unchanged or at version ${wanted}.`;
    await schema.migrate();
    interruption.outcome = `The schema of ${store} is at version ${wanted}.`;
    await output.report(
      facts,
      version === 0 ? `Created the store ${store}.` : `The schema of ${store} is now at version ${wanted}.`,
    );
  } finally {
    await schema.close();
  }
}
