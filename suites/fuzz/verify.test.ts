import { expect, test } from "bun:test";
import { startAndFuzz } from "../../scripts/fuzz/start.ts";
import { temporaryFolder } from "../../test/support/folder.ts";

// Some of what `npm run fuzz` throws a million of: the same ones each time, and others.
const SEEDS = { "the same seed": 1, "a new seed": Math.floor(Math.random() * 2 ** 32) };

for (const [which, seed] of Object.entries(SEEDS)) {
  test(`${which}, ${seed}: every answer is as the contract has it`, async () => {
    using folder = temporaryFolder();
    const { failure } = await startAndFuzz({ folder: folder.path, requests: 1500, seed, connections: 16 });
    // What was sent and what came shows how to see it again.
    expect(failure && { ...failure, sent: failure.sent.toString("latin1") }).toBeUndefined();
  });
}
