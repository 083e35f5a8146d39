import { after, test } from "node:test";
import { startSandbox } from "animal-store/sandbox";

const sandbox = await startSandbox();
after(() => sandbox.stop());

/** A test with a store of its own. */
export const testInSpace = (name, body) =>
  test(name, async (context) => {
    const space = await sandbox.space();
    context.after(() => space.remove());
    await body(space);
  });
