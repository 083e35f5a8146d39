import { type RunningSandbox, type SandboxSpace, startSandbox } from "animal-store/sandbox";
import { test as base } from "vitest";

/** A test that takes `space` has a store of its own; all tests of a worker share one sandbox. */
export const test = base.extend<{ sandbox: RunningSandbox; space: SandboxSpace }>({
  sandbox: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no other fixture.
    async ({}, use) => {
      await using sandbox = await startSandbox();
      await use(sandbox);
    },
    { scope: "worker" },
  ],
  space: async ({ sandbox }, use) => {
    await using space = await sandbox.space();
    await use(space);
  },
});
