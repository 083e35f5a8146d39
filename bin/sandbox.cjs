const { spawn } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { setTimeout } = require("node:timers/promises");
const { makeSpace } = require("./sandbox-space.cjs");

// Plain JavaScript, since Node compiles no TypeScript of an installed package, and CommonJS, since Jest and TypeScript's
// programs of that form can load nothing else. sandbox.d.cts describes it.

const PROGRAM = join(__dirname, "animal-store");
const LOOK_EVERY_MS = 20;

exports.startSandbox = async function startSandbox({ args = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-sandbox-"));
  const readyFile = join(folder, "ready.json");
  const given = ["sandbox", "--port", "0", "--ready-file", readyFile, "--until-stdin-ends", ...args];
  // The pipe to its input closes with this process, however that ends.
  const child = spawn(PROGRAM, given, { stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  let hasEnded = false;
  const ended = new Promise((resolve) => {
    child.on("error", (error) => {
      said += error.message;
      resolve();
    });
    child.on("close", resolve);
  }).then(() => {
    hasEnded = true;
    process.off("exit", end);
    remove();
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const end = () => {
    child.kill();
    remove();
  };
  process.on("exit", end);

  while (!hasEnded && !existsSync(readyFile)) await setTimeout(LOOK_EVERY_MS);
  if (hasEnded) throw new Error(`the sandbox did not start: ${said.trim()}`);
  const { address, baseUrl, control, keys } = JSON.parse(readFileSync(readyFile, "utf8"));
  // A sandbox that was forgotten keeps no process alive, so a test that fails before `stop()` still ends.
  // Bun's streams have no such method, and keep nothing alive.
  const handles = [child, child.stdin, child.stderr];
  for (const handle of handles) handle.unref?.();
  const stop = () => {
    for (const handle of handles) handle.ref?.();
    child.kill();
    return ended;
  };
  const space = () => makeSpace({ baseUrl, control });
  const withSpace = async (use) => {
    const made = await space();
    try {
      return await use(made);
    } finally {
      await made.remove();
    }
  };
  const where = { address, baseUrl, control, keys, apiKey: keys[0].key };
  return { ...where, space, withSpace, stop, [Symbol.asyncDispose]: stop };
};

exports.withSandbox = async function withSandbox(use, options) {
  const sandbox = await exports.startSandbox(options);
  try {
    return await use(sandbox);
  } finally {
    await sandbox.stop();
  }
};
