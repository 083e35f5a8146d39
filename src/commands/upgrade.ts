import { type Options, StoreCommand } from "../cli/store-command.ts";
import { MissingStore } from "../stores/errors.ts";
import { openSchema } from "../stores/open.ts";
import type { StoreSchema } from "../stores/store-schema.ts";
import { fileOfStore } from "../stores/url.ts";
import { VERSION } from "../system/version.ts";

/** What an operator does before an upgrade, and to go back. */
interface Plan {
  readonly before: string;
  readonly meanwhile: string;
  readonly back: readonly string[];
}

/**
 * `animal-store upgrade --check`: whether this program can take over a store, what it would change, and how to go back. It
 * changes nothing, and an earlier program may be serving the store.
 */
export async function checkUpgrade(options: Options): Promise<void> {
  const { config, output, storeName: store } = new StoreCommand(options);
  const schema = await openSchema(config.DATABASE_URL, () => {});
  try {
    const { version, wanted, changes } = schema;
    if (version === 0) throw new MissingStore(config.DATABASE_URL);
    const needed = version < wanted;
    const plan = fileOfStore(config.DATABASE_URL) === undefined ? POSTGRES : SQLITE;
    const facts = { store, program: VERSION, version, wanted, needed, changes: needed ? changes : [] };
    await output.answer(
      needed ? { ...facts, ...plan } : facts,
      needed ? describe(store, schema, plan) : upToDate(store, schema),
    );
  } finally {
    await schema.close();
  }
}

const FILE = `before-${VERSION}`;

const SQLITE: Plan = {
  before: `animal-store backup ${FILE}.db`,
  meanwhile:
    "A service of the earlier version that runs continues until it is stopped, and cannot be started again.",
  back: [
    "stop every service of the store",
    `animal-store restore ${FILE}.db --force`,
    "start the earlier version",
  ],
};

const POSTGRES: Plan = {
  before: `pg_dump --format=custom --schema=animal_store --file=${FILE}.dump --dbname="$DATABASE_URL"`,
  meanwhile:
    "Instances of the earlier version that run go on serving beside this one, so replace them one by one; none can be started again.",
  back: [
    "stop every instance",
    `restore ${FILE}.dump as docs/data.md says, so that no id is given twice`,
    "start the earlier version",
  ],
};

function upToDate(store: string, { version }: StoreSchema): string {
  return (
    `${store} has schema version ${version}, which Animal Store ${VERSION} uses. Nothing changes, and every version ` +
    "that uses it can serve the store.\n"
  );
}

function describe(store: string, { version, wanted, changes }: StoreSchema, plan: Plan): string {
  const added = changes.map(({ version, about, tables, columns }) => {
    const names = [...tables, ...columns].join(", ");
    return `  ${version}  ${about}${names && ` (adds ${names})`}`;
  });
  return [
    `${store} can be upgraded: its schema has version ${version}, and Animal Store ${VERSION} uses ${wanted}.`,
    "It only adds; nothing that is stored changes:",
    ...added,
    "",
    `Before, with the version that serves now:  ${plan.before}`,
    "To upgrade:  start this version, or run `animal-store migrate` if the service's role may not change the schema.",
    plan.meanwhile,
    "To go back, with the earlier version; what was stored since the backup is lost:",
    ...plan.back.map((step, index) => `  ${index + 1}. ${step}`),
    "",
  ].join("\n");
}
