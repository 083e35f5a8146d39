// What `@animal-store/client` costs compared with plain `fetch`, in Node and in Bun, and how large it is:
//
//   bin/runtime bench/client.ts [--rounds N] [--requests N] [--clients N]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  },
});

const RUNTIMES: Readonly<Record<string, readonly string[]>> = { Node: ["node"], Bun: [process.execPath] };

const MEASURE = `
import { AnimalStore } from "./client/main.js";
import { measure } from "./rounds.js";
console.log(JSON.stringify(await measure(AnimalStore, JSON.parse(process.env.LOAD))));
`;

const folder = mkdtempSync(join(tmpdir(), "animal-store-client-bench-"));
await using stack = new AsyncDisposableStack();
stack.defer(() => rmSync(folder, { recursive: true, force: true }));

await buildClient(join(folder, "client"));
await Bun.build({
  entrypoints: [join(import.meta.dir, "client/rounds.ts")],
  outdir: folder,
  target: "browser",
});
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

const { rounds, requests, clients } = values;
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
    `\n${runtime}, ${clients} at a time: requests a second, and microseconds of CPU for one; shares of plain fetch (least to most)`,
  );
  for (const [work, sides] of Object.entries(measured)) {
    console.log(`  ${work}`);
    const plain = sides["plain fetch"];
    for (const [side, { rates, cpuUs }] of Object.entries(sides)) {
      console.log(`    ${side.padEnd(20)} ${share(rates, plain?.rates)}   CPU ${share(cpuUs, plain?.cpuUs)}`);
    }
  }
}

function share(own: readonly number[], plain: readonly number[] = []): string {
  const { median, min, max } = quotients(own, plain);
  return `${spread(own).median.toFixed(0).padStart(6)}   ${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}
