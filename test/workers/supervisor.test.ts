import { expect, test } from "bun:test";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Observation } from "../../src/observations/observation.ts";
import { startWorkers } from "../../src/workers/supervisor.ts";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

/** A worker that does as told, and in its own way when it is to listen or to replace its certificate. */
function workerThat(whenListening: string, whenReplacing = ""): string {
  return `
    const report = (report) => process.send?.(JSON.stringify(report));
    process.on("message", (text) => {
      const { kind, first } = JSON.parse(text);
      const listen = () => report({ kind: "listening", address: "http://127.0.0.1:1", port: 1 });
      if (kind === "prepare") report({ kind: "prepared" });
      if (kind === "listen") { ${whenListening} }
      if (kind === "replace_tls") { ${whenReplacing} }
      if (kind === "stop") { report({ kind: "stopped" }); process.exit(0); }
    });
    // Longer than a test may take, and not for ever.
    setTimeout(() => process.exit(), 400_000);`;
}

interface Options {
  readonly workers?: number;
  /** The runtime that starts them. */
  readonly runtime?: string;
  readonly emit?: (event: Observation) => void;
}

function workersOf(script: string, folder: string, options: Options = {}) {
  const { workers = 1, runtime = process.execPath, emit = () => {} } = options;
  const file = `${folder}/worker.js`;
  writeFileSync(file, script);
  return startWorkers({
    workers,
    command: [runtime, file],
    settings: {},
    host: "127.0.0.1",
    port: 1,
    tls: undefined,
    emit,
    shared: undefined,
    connect: undefined,
    onExit() {},
  });
}

test("a worker that never replaces its certificate does not keep the others from stopping", async () => {
  using folder = temporaryFolder();
  const running = await workersOf(
    workerThat("listen();", "process.removeAllListeners('message');"),
    folder.path,
  );
  const { cert, key } = makeCertificate("localhost");
  const replaced = running.replaceTls({ cert, key });
  await running.stop(0);
  await replaced;
});

test("a worker that never replaces its certificate does not prevent others from replacing theirs", async () => {
  using folder = temporaryFolder();
  const running = await workersOf(
    workerThat("listen();", "process.removeAllListeners('message');"),
    folder.path,
  );
  const { cert, key } = makeCertificate("localhost");
  await running.replaceTls({ cert, key });
  await running.stop(0);
});

test("a worker that ends while others are still starting fails the start", async () => {
  using folder = temporaryFolder();
  // The others are told to listen once the first does, and do so when it has ended.
  const script = workerThat("if (first) { listen(); process.exit(3); } else setTimeout(listen, 1000);");
  await expect(workersOf(script, folder.path, { workers: 2 })).rejects.toThrow("1 of 2 ended");
});

test("a worker that the system cannot start is tried again", async () => {
  using folder = temporaryFolder();
  const runtime = `${folder.path}/runtime`;
  symlinkSync(process.execPath, runtime);
  const events: Observation[] = [];
  const emit = (event: Observation) => void events.push(event);
  const script = workerThat("listen(); if (first) setTimeout(() => process.exit(3), 500);");
  const running = await workersOf(script, folder.path, { runtime, emit });
  rmSync(runtime);
  await until(() => events.some((event) => event.event === "worker_ended" && event.how.includes("ENOENT")));
  symlinkSync(process.execPath, runtime);
  await until(() => events.some(({ event }) => event === "worker_replaced"));
  await running.stop(0);
});
