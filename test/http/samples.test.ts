import { afterAll, beforeAll, test } from "bun:test";
import { buildClient } from "../../scripts/client/build.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { temporaryFolder } from "../support/folder.ts";
import { requiredProgram } from "../support/installed-programs.ts";
import { expectSamplesToWork, nodeRunners } from "../support/samples.ts";
import { startService } from "../support/service.ts";

// The samples in other languages are run by the suite `pages`: `npm test` needs nothing but Node and npm.
const NODE = requiredProgram("node");
const client = temporaryFolder();
beforeAll(() => buildClient(client.path));
afterAll(() => client[Symbol.dispose]());

for (const [language, runner] of Object.entries(nodeRunners(NODE, client.path))) {
  test(`the reference's samples in ${language} work as they stand there`, async () => {
    await using service = await startService({ operations: operationsOffered("experimental") });
    await expectSamplesToWork(service, language, runner);
  });
}
