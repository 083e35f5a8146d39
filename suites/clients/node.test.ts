import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { JOURNEYS, runJourney } from "../../test/client/run-journey.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { expectSamplesToWork, nodeRunners } from "../../test/support/samples.ts";
import { startService } from "../../test/support/service.ts";
import { NODE_VERSIONS, node } from "./tools.ts";

// The client and the reference's samples in the versions of Node that they claim.

const client = temporaryFolder();
beforeAll(async () => {
  await buildClient(client.path);
  await Bun.write(join(client.path, "package.json"), '{"type":"module"}');
});
afterAll(() => client[Symbol.dispose]());

for (const version of Object.values(NODE_VERSIONS)) {
  test.each(JOURNEYS)(
    `the client does in Node ${version} what it does elsewhere: the $program`,
    async (journey) => {
      expect(await runJourney([await node(version)], journey)).toEqual(journey.expected as string[]);
    },
    LONG_RUN_MS,
  );
}

test.each(["javascript", "client"] as const)(
  "the reference's samples in %s work in the oldest Node that they claim",
  async (language) => {
    await using service = await startService({ operations: operationsOffered("experimental") });
    const runners = nodeRunners(await node(NODE_VERSIONS.oldest), client.path);
    await expectSamplesToWork(service, language, runners[language]);
  },
  LONG_RUN_MS,
);
