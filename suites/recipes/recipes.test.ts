import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { apply, copyRepository } from "./copy.ts";
import { expectBreedEverywhere } from "./member-everywhere.ts";
import { recipeNames, recipeOf } from "./recipe.ts";

// A recipe that does not work as it stands is worse than none: each is applied to a copy of the repository.

const MEMBER = "add-a-member";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** What must hold of a change, by the commands that a person would run; each in a copy of the repository. */
const GENERATE = ["npm", "run", "-s", "generate"];
const TYPES = ["npm", "run", "-s", "types"];
const STYLE = ["npm", "run", "-s", "style"];
const test_ = (...files: string[]) => ["npm", "test", "--", ...files];

for (const name of shareOf(recipeNames(), "recipes")) {
  test(
    `${name}: the change has the project's types and style, and the contract holds on both engines`,
    async () => {
      using folder = temporaryFolder();
      copyRepository(folder.path);
      await apply(folder.path, recipeOf(name));
      const cwd = { cwd: folder.path };
      await runCommand(GENERATE, cwd);
      await runCommand(TYPES, cwd);
      await runCommand(STYLE, cwd);
      await runCommand(test_("test/http/contract.test.ts", "test/project/operations.test.ts"), cwd);
      if (name === MEMBER) {
        await runCommand(test_("test/stores/tables.test.ts", "test/postgres/events.test.ts"), cwd);
        const database = await server.createDatabase();
        await expectBreedEverywhere(join(folder.path, "bin/animal-store"), database);
      }
    },
    LONG_RUN_MS,
  );
}

for (const left of shareOf(recipeOf(MEMBER), "files of a new member")) {
  test(
    `${MEMBER}: without ${left.file}, the types or a test say so`,
    async () => {
      using folder = temporaryFolder();
      copyRepository(folder.path);
      await apply(
        folder.path,
        recipeOf(MEMBER).filter(({ file }) => file !== left.file),
      );
      const cwd = { cwd: folder.path };
      const passes = (command: readonly string[]) =>
        runCommand(command, cwd).then(
          () => true,
          () => false,
        );
      const isUnnoticed =
        (await passes(GENERATE)) &&
        (await passes(TYPES)) &&
        (await passes(
          test_(
            "test/http/contract.test.ts",
            "test/stores/tables.test.ts",
            "test/project/operations.test.ts",
          ),
        ));
      expect(isUnnoticed).toBe(false);
    },
    LONG_RUN_MS,
  );
}
