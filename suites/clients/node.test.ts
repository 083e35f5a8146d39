import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { JOURNEYS, runJourney } from "../../test/client/run-journey.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { expectSamplesToWork, nodeRunners } from "../../test/support/samples.ts";
import { startService } from "../../test/support/service.ts";
import { NODE_VERSIONS, node } from "./tools.ts";

/** Lists animals ten thousand times at once. Prints how many attempts the calls took. */
const AT_ONCE = `
import { AnimalStore } from "./main.js";
const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
const { pets } = new AnimalStore({ baseUrl, apiKey, deadlineMs: Infinity });
const pages = await Promise.all(Array.from({ length: 10_000 }, () => pets.list({ limit: 1 }).firstPage().withResponse()));
console.log(pages.reduce((sum, { response }) => sum + response.attempts, 0));
process.exit();
`;

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

test(
  "ten thousand calls at once need no second attempt in Node, since none waits for a connection in its own time",
  async () => {
    await using service = await startService();
    const program = join(client.path, "at-once.mjs");
    await Bun.write(program, AT_ONCE);
    const env = { BASE_URL: `${service.address}/v1`, API_KEY: service.key };
    const { stdout } = await runCommand([await node(NODE_VERSIONS.newest), program], {
      cwd: client.path,
      env,
    });
    expect(stdout.trim()).toBe("10000");
  },
  LONG_RUN_MS,
);
