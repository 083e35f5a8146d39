import { expect, test } from "bun:test";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { Metrics } from "../support/metrics.ts";
import { PROGRAM, TIED } from "../support/program.ts";

/** Their lines are more than the pipe takes, so each worker waits for the reader with lines of its own. */
const REQUESTS = 1500;

test("several workers write whole lines to a slow reader of the log, or count them as dropped", async () => {
  using folder = temporaryFolder();
  const pipe = join(folder.path, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const [port, metricsPort] = [freePort(), freePort()];
  const settings = { WORKERS: "3", LOG_REQUESTS: "true", FIRST_KEY: "none" };
  await using child = Bun.spawn([...TIED, PROGRAM, "--port", `${port}`, "--metrics-port", `${metricsPort}`], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", ...settings },
    stdout: writer,
  });
  closeSync(writer);
  let text = "";
  const buffer = Buffer.alloc(1000);
  const readSome = () => {
    try {
      text += buffer.toString("latin1", 0, readSync(reader, buffer));
      return true;
    } catch {
      return false;
    }
  };
  const address = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${address}/livez`).catch(() => undefined))?.ok) await Bun.sleep(20);
  const ask = async (from: number) => {
    for (let at = from; at < REQUESTS; at += 10) {
      const path = `/${at}${"x".repeat(400)}`;
      expect((await fetch(address + path, { keepalive: false })).status).toBe(404);
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, from) => ask(from)));
  const dropped = (await Metrics.at(`http://127.0.0.1:${metricsPort}/metrics`)).sum(
    "animal_store_log_lines_dropped_total",
  );
  // A stop waits for the reader for half a second only, so the lines of requests are read before it.
  while (text.split("\n").length <= REQUESTS - dropped) if (!readSome()) await Bun.sleep(1);
  child.kill("SIGTERM");
  while (child.exitCode === null) if (!readSome()) await Bun.sleep(1);
  while (readSome());
  closeSync(reader);
  const broken: string[] = [];
  const ids = new Set<string>();
  for (const line of text.split("\n").slice(0, -1)) {
    try {
      const { path } = JSON.parse(line) as { path?: string };
      if (path !== undefined && path !== "/livez") ids.add(path);
    } catch {
      broken.push(line);
    }
  }
  expect(broken).toEqual([]);
  expect(ids.size + dropped).toBe(REQUESTS);
});
