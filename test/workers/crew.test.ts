import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { NewAnimal } from "../../src/domain/animal.ts";
import { startCrew } from "../../src/workers/crew.ts";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";

// A hang is to fail; a busy machine is not.
setDefaultTimeout(60_000);

/** A worker that does as told, and something of its own when it listens or is to replace its certificate. */
function workerThat(whenListening: string, whenReplacing = ""): string {
  return `
    const report = (report) => process.send?.(JSON.stringify(report));
    process.on("message", (text) => {
      const { kind } = JSON.parse(text);
      if (kind === "prepare") report({ kind: "prepared" });
      if (kind === "listen") report({ kind: "listening", address: "http://127.0.0.1:1", port: 1 });
      if (kind === "listen") { ${whenListening} }
      if (kind === "replace_tls") { ${whenReplacing} }
      if (kind === "stop") { report({ kind: "stopped" }); process.exit(0); }
    });
    // Longer than a test may take, and not for ever.
    setTimeout(() => process.exit(), 90_000);`;
}

function crewOf(script: string, folder: string, addAnimal = (_: NewAnimal) => Promise.reject(new Error())) {
  const file = `${folder}/worker.js`;
  writeFileSync(file, script);
  return startCrew({
    workers: 1,
    command: [process.execPath, file],
    settings: {},
    host: "127.0.0.1",
    port: 1,
    tls: undefined,
    store: { addAnimal, checkWriting: async () => {} },
    emit() {},
    shared: undefined,
    departed() {},
  });
}

test("what a worker has asked for is done, and is told to nobody where it has hung up meanwhile", async () => {
  using folder = temporaryFolder();
  const added = Promise.withResolvers<void>();
  const create = '{ kind: "create", request: 0, creates: [["a", "1", "available"]] }';
  const hangUp = `report(${create}); setTimeout(() => process.disconnect(), 50);`;
  const crew = await crewOf(workerThat(hangUp), folder.path, async () => {
    await Bun.sleep(500);
    added.resolve();
    return Promise.reject(new Error("not stored"));
  });
  await added.promise;
  // An answer that cannot be sent would fail this test, as an error that nobody catches.
  await Bun.sleep(100);
  expect(await crew.counts()).toEqual([]);
  await crew.stop(0);
});

test("a worker that never replaces its certificate does not keep the others from stopping", async () => {
  using folder = temporaryFolder();
  const crew = await crewOf(workerThat("", "process.removeAllListeners('message');"), folder.path);
  const { cert, key } = makeCertificate("localhost");
  const replaced = crew.replaceTls({ cert, key });
  await crew.stop(0);
  await replaced;
});
