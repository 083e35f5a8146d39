import { test } from "bun:test";
import { join } from "node:path";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { expectSamplesToWork, type SampleRunner } from "../support/samples.ts";
import { startService } from "../support/service.ts";

// The samples in curl, Python and Go are run by the suite `pages`: `npm test` needs nothing but Node and npm.
const RUNNERS: Readonly<Record<string, SampleRunner>> = {
  javascript: { file: "sample.mjs", command: (file) => [process.execPath, file], followsLinks: true },
  client: {
    file: "sample.ts",
    command: (file) => [process.execPath, file],
    followsLinks: true,
    // The package's own name leads to what is built for npm; this is what it is built of.
    prepare: (sample) =>
      sample.replace('"animal-store/client"', JSON.stringify(join(import.meta.dir, "../../client/main.ts"))),
  },
};

for (const [language, runner] of Object.entries(RUNNERS)) {
  test(`the reference's samples in ${language} work as they stand there`, async () => {
    await using service = await startService({ operations: operationsOffered("experimental") });
    await expectSamplesToWork(service, language, runner);
  });
}
