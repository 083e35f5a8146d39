import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { patchFile } from "../../test/support/patch.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { apply, copyRepository } from "./copy.ts";
import { LOSSES } from "./losses.ts";
import { expectColorEverywhere, expectOldNextToNew } from "./member-everywhere.ts";
import { expectNoteEverywhere, expectNoteNextToOld } from "./note-everywhere.ts";
import { type Change, recipeNames, recipeOf } from "./recipe.ts";

// A recipe that does not work as it stands is worse than none: each is applied to a copy of the repository.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

type Command = readonly string[];

const test_ = (...files: string[]): Command => ["npm", "test", "--", ...files];

const GENERATE: Command = ["npm", "run", "-s", "generate"];
const TYPES: Command = ["npm", "run", "-s", "types"];
const MUTANTS_FIT = test_("test/project/mutants.test.ts");
const CONTRACT = test_("test/http/contract.test.ts");
const OPERATIONS = test_("test/project/operations.test.ts");
const EXAMPLES = test_("test/project/examples.test.ts");
const ANNOUNCED = test_("test/client/announce-sales.test.ts");
const SETTINGS = test_("test/config");
const TABLES = test_("test/stores/tables.test.ts");
const SQLITE_STATEMENTS = test_("test/sqlite/statements.test.ts");
const STABLE_DOCUMENT = test_("test/releases/stable-document.test.ts");
const POSTGRES_PLANS = test_(
  "suites/postgres-servers/plans.test.ts",
  "-t",
  "no statement reads a whole table",
);

/** What must hold after a recipe, in addition to types, style, what is generated and what mutants break. */
const PROMISES: Readonly<Record<string, readonly Command[]>> = {
  "add-a-failure": [
    CONTRACT,
    test_("test/project/errors-page.test.ts", "test/client/generated.test.ts", "test/client/errors.test.ts"),
  ],
  "add-a-filter-of-a-list": [
    CONTRACT,
    test_(
      "test/sqlite/statements.test.ts",
      "test/releases/stable-document.test.ts",
      "test/client/options.test.ts",
    ),
    test_("suites/postgres-servers/plans.test.ts"),
    test_("suites/pages/bytes.test.ts"),
  ],
  "add-a-member": [
    CONTRACT,
    test_(
      "test/openapi",
      "test/project/operations.test.ts",
      "test/stores/tables.test.ts",
      "test/formats",
      "test/sqlite/revision.test.ts",
    ),
    test_("test/postgres/events.test.ts", "test/postgres/store.test.ts"),
    // Messages, files and help that list each member.
    test_(
      "test/commands/animals.test.ts",
      "test/commands/backup.test.ts",
      "test/commands/import.test.ts",
      "test/mcp/tools.test.ts",
      "test/sandbox/command.test.ts",
      "test/sandbox/faults.test.ts",
      "test/sandbox/strict.test.ts",
    ),
    test_("suites/pages/bytes.test.ts", "suites/pages/selection.test.ts"),
  ],
  "add-a-member-of-an-order": [
    CONTRACT,
    test_(
      "test/openapi",
      "test/project/operations.test.ts",
      "test/project/client-package.test.ts",
      "test/stores/tables.test.ts",
      "test/sqlite/orders.test.ts",
    ),
    test_("test/postgres/events.test.ts", "test/postgres/orders.test.ts"),
    test_("suites/pages/bytes.test.ts"),
  ],
  "add-an-operation": [
    CONTRACT,
    test_(
      "test/project/operations.test.ts",
      "test/sqlite/statements.test.ts",
      "test/project/client-package.test.ts",
      "test/project/kit-types.test.ts",
      "test/client/generated.test.ts",
      "test/releases/schema.test.ts",
    ),
    POSTGRES_PLANS,
  ],
  "add-a-reader-of-the-feed": [EXAMPLES, ANNOUNCED],
  "add-a-setting": [SETTINGS, test_("test/service/events-kept.test.ts")],
};

/** Of a recipe whose files are left out one at a time: the checks that may say so, the quickest first. */
const NOTICED_BY: Readonly<Record<string, readonly Command[]>> = {
  "add-a-failure": [GENERATE, TYPES, CONTRACT],
  "add-a-filter-of-a-list": [
    ...[GENERATE, TYPES, STABLE_DOCUMENT, SQLITE_STATEMENTS, CONTRACT],
    test_("suites/postgres-servers/plans.test.ts"),
  ],
  "add-a-member": [GENERATE, TYPES, OPERATIONS, TABLES, CONTRACT],
  "add-a-member-of-an-order": [GENERATE, TYPES, OPERATIONS, CONTRACT],
  "add-a-reader-of-the-feed": [EXAMPLES, ANNOUNCED],
  "add-a-setting": [GENERATE, TYPES, SETTINGS],
  "add-an-operation": [GENERATE, TYPES, OPERATIONS, SQLITE_STATEMENTS, POSTGRES_PLANS, CONTRACT],
};

/** Of a recipe that adds a member: what a program with it must do, also next to an older one on a store. */
const MEMBERS: Readonly<
  Record<
    string,
    { readonly everywhere: typeof expectColorEverywhere; readonly nextToOld: typeof expectOldNextToNew }
  >
> = {
  "add-a-member": { everywhere: expectColorEverywhere, nextToOld: expectOldNextToNew },
  "add-a-member-of-an-order": { everywhere: expectNoteEverywhere, nextToOld: expectNoteNextToOld },
};

/** A copy of the repository with some changes, gone with `using`. */
async function changedCopy(changes: readonly Change[]) {
  const folder = temporaryFolder();
  copyRepository(folder.path);
  await apply(folder.path, changes);
  return folder;
}

for (const name of shareOf(recipeNames(), "recipes")) {
  test(
    `${name}: the change has the project's types and style, and keeps what it promises`,
    async () => {
      const changes = recipeOf(name);
      using folder = await changedCopy(changes);
      const files = new Set(changes.map(({ file }) => file).filter((file) => /\.tsx?$/.test(file)));
      const style = ["node_modules/.bin/biome", "check", "--error-on-warnings", ...files];
      for (const command of [GENERATE, TYPES, style, MUTANTS_FIT, ...(PROMISES[name] ?? [])])
        await runCommand(command, { cwd: folder.path });
      const member = MEMBERS[name];
      if (!member) return;
      const newer = join(folder.path, "bin/animal-store");
      await member.everywhere(newer, await server.createDatabase());
      const older = join(import.meta.dir, "../../bin/animal-store");
      using place = temporaryFolder();
      for (const url of [`sqlite:${place.path}/store.db`, await server.createDatabase()])
        await member.nextToOld(older, newer, url);
    },
    LONG_RUN_MS,
  );
}

for (const [name, losses] of Object.entries(LOSSES)) {
  for (const loss of shareOf(losses, `losses of ${name}`)) {
    test.concurrent(
      `${name}: what ${loss.file} loses breaks the contract`,
      async () => {
        using folder = await changedCopy(recipeOf(name));
        patchFile(folder.path, loss);
        await runCommand(GENERATE, { cwd: folder.path });
        const contract = runCommand([...CONTRACT, "-t", "the contract"], { cwd: folder.path });
        await expect(contract).rejects.toThrow(/\(fail\) on SQLite > the contract/);
      },
      LONG_RUN_MS,
    );
  }
}

for (const [name, checks] of Object.entries(NOTICED_BY)) {
  for (const left of shareOf(recipeOf(name), `files of ${name}`)) {
    test.concurrent(
      `${name}: without ${left.file}, a check says so`,
      async () => {
        using folder = await changedCopy(recipeOf(name).filter(({ file }) => file !== left.file));
        for (const command of checks) {
          const failed = await runCommand(command, { cwd: folder.path }).then(
            () => false,
            () => true,
          );
          if (failed) return;
        }
        expect.unreachable("nothing said so");
      },
      LONG_RUN_MS,
    );
  }
}
