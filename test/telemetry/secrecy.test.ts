import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateApiKey } from "../../src/domain/api-key.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { run, serve } from "../support/program.ts";
import { Collector } from "./collector.ts";

// Each entrance gets a secret of its own, and each exit is searched for all of them. SECURITY.md has the table.

const ENTRANCES = [
  "environment",
  "`.env`",
  "URL of the database",
  "file to import",
  "argument of a command",
  "`Authorization`",
  "other headers",
  "path",
  "query",
  "body",
] as const;
type Entrance = (typeof ENTRANCES)[number];

const EXITS = [
  "log",
  "standard error",
  "metrics",
  "traces",
  "error body",
  "`--json`",
  "`--help`",
  "process list",
] as const;
type Exit = (typeof EXITS)[number];

/** How many characters of a secret give it away. */
const TELLING = 8;

function commandLineOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}

test("what is secret enters in every way and leaves in none, as the table in SECURITY.md says", async () => {
  const secrets = new Map(
    ENTRANCES.map((entrance) => [
      entrance,
      generateApiKey("production", (length) => crypto.getRandomValues(new Uint8Array(length))),
    ]),
  );
  const of = (entrance: Entrance) => secrets.get(entrance) ?? "";
  const left = new Map<Exit, string>(EXITS.map((exit) => [exit, ""]));
  const take = (exit: Exit, text: string) => left.set(exit, `${left.get(exit)}\n${text}`);

  /** What a message says again to the client that has sent it. */
  const echoed = new Set<Entrance>();

  using folder = temporaryFolder();
  using collector = new Collector();
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${of("environment")}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    METRICS_PORT: "0",
    TRUST_PROXY: "true",
    LOG_LEVEL: "trace",
  };
  {
    const before = ["sh", "-c", 'exec "$@" 2>stderr', "sh"];
    await using service = await serve({ cwd: folder.path, env, before });
    const { address, key } = service;
    const ask = async (
      entrance: Entrance,
      path: string,
      headers: Record<string, string> = {},
      body?: string,
    ) => {
      const method = body === undefined ? "GET" : "POST";
      const response = await fetch(address + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body }),
      });
      const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
      if (text.includes(of(entrance))) echoed.add(entrance);
      take("error body", text.replaceAll(of(entrance), "what this client sent"));
    };
    for (const scheme of ["Bearer ", "Basic ", ""])
      await ask("`Authorization`", "/v1/pets", { authorization: scheme + of("`Authorization`") });
    const header = of("other headers");
    await ask(
      "other headers",
      "/v1/pets",
      { "idempotency-key": `${header}, ${header}` },
      '{"name":"Rex","categoryId":1}',
    );
    await ask("other headers", "/v1/pets", {
      "if-none-match": header,
      "x-forwarded-for": header,
      traceparent: header,
    });
    await ask(
      "other headers",
      "/v1/pets",
      { "content-type": header, cookie: header, "user-agent": header },
      "{}",
    );
    for (const path of ["/v1/pets/", "/v1/", "/v1/orders/", "/docs/", "/"])
      await ask("path", path + of("path"));
    await ask("path", `/v1/pets/${of("path")}${of("path")}`);
    for (const name of ["limit", "cursor", "status", "sort", "key", "access_token"])
      await ask("query", `/v1/pets?${name}=${of("query")}`);
    const body = of("body");
    await ask("body", "/v1/pets", {}, `{"${body}":1,"${body}":`);
    await ask("body", "/v1/pets", {}, JSON.stringify({ name: body, categoryId: body, status: body }));
    await ask("body", "/v1/orders", {}, JSON.stringify({ petId: body }));
    for (const pid of [service.pid, ...service.workers()]) take("process list", commandLineOf(pid));
    take("metrics", (await Metrics.of(service)).text);
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    await service.says('"msg":"stopped"');
    take("log", service.output());
    take("standard error", readFileSync(join(folder.path, "stderr"), "utf8"));
    take("traces", collector.bodies.join("\n"));
  }

  await Bun.write(join(folder.path, ".env"), `OTEL_EXPORTER_OTLP_HEADERS=authorization=${of("`.env`")}\n`);
  await Bun.write(join(folder.path, "bad.csv"), `name,categoryId\nRex,${of("file to import")}\n`);
  const url = `postgres://me:${of("URL of the database")}@127.0.0.1:1/animals`;
  const broken = `postgres://me:a?${of("URL of the database")}@127.0.0.1:1/animals`;
  const commands: [string[], Record<string, string>][] = [
    [["config"], env],
    [["config"], { DATABASE_URL: url }],
    [["config"], { DATABASE_URL: broken }],
    [["config"], { PORT: of("environment") }],
    [["config"], {}],
    [["keys", "list"], { DATABASE_URL: url }],
    [["import", "bad.csv"], {}],
    [["keys", "create", "--name", "x", "--expires", of("argument of a command")], {}],
    [["keys", "revoke", of("argument of a command")], {}],
    [[`--databse=${url}`], {}],
  ];
  for (const [args, given] of commands) {
    const { stdout, stderr } = await run([...args, "--json"], { cwd: folder.path, env: given });
    take("`--json`", stdout);
    take("standard error", stderr);
    take("`--help`", (await run([...args.slice(0, 1), "--help"], { cwd: folder.path, env: given })).stdout);
  }

  for (const exit of EXITS) expect(left.get(exit)?.length, exit).toBeGreaterThan(20);
  const cell = (entrance: Entrance, exit: Exit) => {
    const random = of(entrance).slice("as_live_".length);
    const parts = Array.from({ length: random.length - TELLING + 1 }, (_, at) =>
      random.slice(at, at + TELLING),
    );
    const leaves = parts.some((part) => left.get(exit)?.includes(part));
    if (leaves) return "LEAKS";
    return exit === "error body" && echoed.has(entrance) ? "to its sender" : "never";
  };
  const rows = ENTRANCES.map((entrance) => [entrance, ...EXITS.map((exit) => cell(entrance, exit))]);
  const table = [["enters by", ...EXITS], ["", ...EXITS].map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
  expect(readFileSync(join(import.meta.dir, "../../SECURITY.md"), "utf8")).toContain(table);
});
