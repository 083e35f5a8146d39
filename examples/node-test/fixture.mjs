import { after, test } from "node:test";
import { startSandbox } from "animal-store/sandbox";

const sandbox = await startSandbox();
after(() => sandbox.stop());

/** A test with a store of its own; all tests of a file share one sandbox. */
export const testInSpace = (name, body) => test(name, () => sandbox.withSpace(body));
