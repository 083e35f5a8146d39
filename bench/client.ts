// What `@animal-store/client` costs compared with plain `fetch`, or with the client of another checkout, in Node and in Bun, and
// how large it is:
//
//   bin/runtime bench/client.ts [--rounds N] [--requests N] [--clients N] [--against DIR]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildClient } from "../scripts/client/build.ts";
import type { Load, Measured } from "./client/rounds.ts";
import { PROGRAM } from "./program.ts";
import { startServerOnPort } from "./server.ts";
import { quotients, spread } from "./spread.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    requests: { type: "string", default: "2000" },
    clients: { type: "string", default: "16" },
    against: { type: "string" },
  },
});

const RUNTIMES: Readonly<Record<string, readonly string[]>> = { Node: ["node"], Bun: [process.execPath] };

const { rounds, requests, clients, against } = values;

const MEASURE = `
import { AnimalStore } from "./client/main.js";
import { measure } from "./rounds.js";
const other = ${against ? 'await import("./other/main.js")' : "undefined"};
console.log(JSON.stringify(await measure(AnimalStore, JSON.parse(process.env.LOAD), other?.AnimalStore)));
`;

const folder = mkdtempSync(join(tmpdir(), "animal-store-client-bench-"));
await using stack = new AsyncDisposableStack();
stack.defer(() => rmSync(folder, { recursive: true, force: true }));

await buildClient(join(folder, "client"));
await bundle(join(import.meta.dir, "client/rounds.ts"), folder);
if (against) await bundle(join(resolve(against), "client/main.ts"), join(folder, "other"));
await Bun.write(join(folder, "measure.mjs"), MEASURE);
reportSize(readFileSync(join(folder, "client/main.js")));

const keyFile = join(folder, "first-key");
const quiet = ["sh", "-c", 'exec "$@" > /dev/null', "sh"];
const server = stack.use(
  await startServerOnPort(
    (port) => [...quiet, PROGRAM, "serve", "--port", `${port}`, "--first-key", keyFile],
    {
      folder,
    },
  ),
);
const baseUrl = `${server.address}/v1`;
const apiKey = readFileSync(keyFile, "utf8").trim();
for (let i = 0; i < 20; i++) {
  await create(`{"name":"Bruno the ${i}th","categoryId":${i},"status":"available"}`);
  await create(
    `{"name":"Bruno the ${i}th","categoryId":${9223372036854775807n - BigInt(i)},"status":"sold"}`,
  );
}

const load: Load = {
  baseUrl,
  apiKey,
  rounds: Number(rounds),
  requests: Number(requests),
  clients: Number(clients),
};
for (const [runtime, command] of Object.entries(RUNTIMES)) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command, join(folder, "measure.mjs")], {
    env: { ...process.env, LOAD: JSON.stringify(load) },
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
  const version = Bun.spawnSync([...command, "--version"])
    .stdout.toString()
    .trim();
  report(`${runtime} ${version}`, JSON.parse(stdout.toString()));
}

async function bundle(entrypoint: string, outdir: string): Promise<void> {
  const { success, logs } = await Bun.build({ entrypoints: [entrypoint], outdir, target: "browser" });
  if (!success) throw new Error(logs.join("\n"));
}

function create(body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return fetch(`${baseUrl}/pets`, { method: "POST", headers, body });
}

function reportSize(shipped: Buffer): void {
  const minified = Buffer.from(
    new Bun.Transpiler({ minifyWhitespace: true, loader: "js" }).transformSync(`${shipped}`),
  );
  for (const [what, bytes] of [
    ["as it ships", shipped] as const,
    ["white space removed", minified] as const,
  ]) {
    const gzip = gzipSync(bytes, { level: 9 }).length;
    console.log(
      `size ${what}: ${bytes.length} bytes, gzip ${gzip}, brotli ${brotliCompressSync(bytes).length}`,
    );
  }
}

function report(runtime: string, measured: Measured): void {
  console.log(
    `\n${runtime}, ${clients} at a time: requests a second, and microseconds of CPU for one; shares of the first side (least to most)`,
  );
  for (const [work, sides] of Object.entries(measured)) {
    console.log(`  ${work}`);
    const [first] = Object.values(sides);
    for (const [side, { rates, cpuUs }] of Object.entries(sides)) {
      console.log(`    ${side.padEnd(20)} ${share(rates, first?.rates)}   CPU ${share(cpuUs, first?.cpuUs)}`);
    }
  }
}

function share(own: readonly number[], first: readonly number[] = []): string {
  const { median, min, max } = quotients(own, first);
  return `${spread(own).median.toFixed(0).padStart(6)}   ${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}
