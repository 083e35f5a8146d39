import { type RunningSandbox, type SandboxSpace, withSandbox } from "animal-store/sandbox";
import { test as base } from "vitest";

/** A test that takes `space` has a store of its own; all tests of a worker share one sandbox. */
export const test = base.extend<{ sandbox: RunningSandbox; space: SandboxSpace }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no other fixture.
  sandbox: [({}, use) => withSandbox(use), { scope: "worker" }],
  space: ({ sandbox }, use) => sandbox.withSpace(use),
});
