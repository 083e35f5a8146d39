const { startSandbox } = require("animal-store/sandbox");

let sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

/** A test with a store of its own; all tests of a file share one sandbox. */
exports.testInSpace = (name, body) => test(name, () => sandbox.withSpace(body));
