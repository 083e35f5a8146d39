// Measures what observability costs: CPU time for a request with the log of requests, metrics or traces on, and with all
// of them off. The sides take turns, and a difference is taken within a round.
//
//   bin/runtime bench/watching.ts [--rounds N] [--seconds N]
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Call } from "./call.ts";
import { drive } from "./load/drive.ts";
import { CONNECTIONS } from "./load/load.ts";
import { PROGRAM } from "./program.ts";
import { type Server, startServerOnPort } from "./server.ts";
import { spread } from "./spread.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, seconds: { type: "string", default: "2" } },
});

/** A trace collector that drops what it receives. */
using collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  reusePort: false,
  fetch: () => Response.json({}),
});
const TRACES = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin, OTEL_TRACES_SAMPLER: "traceidratio" };

const SIDES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  "log of requests": { LOG_REQUESTS: "true" },
  metrics: { METRICS_PORT: "0" },
  "traces, 1 %": { ...TRACES, OTEL_TRACES_SAMPLER_ARG: "0.01" },
  "traces, all": { ...TRACES, OTEL_TRACES_SAMPLER_ARG: "1" },
};

const JSON_TYPE = { "Content-Type": "application/json" };
const CALLS: Readonly<Record<string, Omit<Call, "headers">>> = {
  "a page that is kept": { method: "GET", path: "/v1/pets" },
  "an animal by id": { method: "GET", path: "/v1/pets/1" },
  "a create": { method: "POST", path: "/v1/pets", body: '{"name":"Rex","categoryId":7}' },
};

/** Animals on a page by default. */
const PAGE = 20;

interface Side {
  readonly server: Server;
  readonly key: string;
}

/** Starts the service with its log discarded, so that no disk is measured. */
async function start(folder: string, settings: Readonly<Record<string, string>>): Promise<Side> {
  mkdirSync(folder);
  const file = join(folder, "first-key");
  const quiet = ["sh", "-c", 'exec "$@" > /dev/null', "sh"];
  const server = await startServerOnPort(
    (port) => [...quiet, PROGRAM, "serve", "--port", `${port}`, "--first-key", file],
    { folder, env: settings },
  );
  const key = readFileSync(file, "utf8").trim();
  for (let id = 1; id <= PAGE; id++) {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` };
    const body = JSON.stringify({ name: `Bruno the ${id}th`, categoryId: id });
    await fetch(`${server.address}/v1/pets`, { method: "POST", headers, body });
  }
  return { server, key };
}

const folder = mkdtempSync(join(tmpdir(), "animal-store-watching-"));
await using stack = new AsyncDisposableStack();
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const sides = new Map<string, Side>();
for (const [name, settings] of Object.entries(SIDES)) {
  const side = await start(join(folder, `${sides.size}`), settings);
  stack.use(side.server);
  sides.set(name, side);
}

for (const [what, call] of Object.entries(CALLS)) {
  const costs = new Map<string, number[]>([...sides.keys()].map((name) => [name, []]));
  for (let round = -1; round < Number(values.rounds); round++) {
    const order = [...sides]
      .slice(Math.max(0, round) % sides.size)
      .concat([...sides].slice(0, Math.max(0, round) % sides.size));
    for (const [name, { server, key }] of order) {
      const headers = { Authorization: `Bearer ${key}`, ...(call.body !== undefined && JSON_TYPE) };
      const before = server.cpuMicroseconds();
      const { requests } = await drive(
        server.address,
        [{ ...call, headers }],
        Number(values.seconds),
        CONNECTIONS,
      );
      // The first round warms up.
      if (round >= 0) costs.get(name)?.push((server.cpuMicroseconds() - before) / requests);
    }
  }
  const base = costs.get("nothing") ?? [];
  console.log(
    `\n${what}: CPU µs for each request, and how much more than with nothing on (least to greatest)`,
  );
  for (const [name, own] of costs) {
    const more = spread(own.map((cost, round) => cost - (base[round] as number)));
    const range = `${more.min.toFixed(1)} to ${more.max.toFixed(1)}`;
    console.log(
      `  ${name.padEnd(16)} ${spread(own).median.toFixed(1).padStart(6)}   +${more.median.toFixed(1)} (${range})`,
    );
  }
}
