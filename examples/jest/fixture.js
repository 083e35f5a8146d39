const { startSandbox } = require("animal-store/sandbox");

/** Gives each test of a file a store of its own: `const space = useSpace();`, and `space()` in the test. */
exports.useSpace = () => {
  let sandbox, space;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  beforeEach(async () => {
    space = await sandbox.space();
  });
  afterEach(() => space.remove());
  afterAll(() => sandbox.stop());
  return () => space;
};
