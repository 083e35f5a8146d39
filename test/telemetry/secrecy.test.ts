import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { startBrowser } from "../browser/browser.ts";
import { openConsole } from "../browser/console.ts";
import { startReceiver } from "../relay/receiver.ts";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { PROGRAM, run, type ServiceProcess, serve, TIED, workersOf } from "../support/program.ts";
import { Collector } from "./collector.ts";
import { askWithSecrets } from "./secrecy/ask-with-secrets.ts";
import { Secrets } from "./secrecy/secrets.ts";

// Each entrance gets a secret of its own, and each exit is searched for all of them. SECURITY.md has the table.

const secrets = new Secrets();
/** The limits of the processes of services, as the kernel has them. */
const coreFileSizes: (string | undefined)[] = [];
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** Where a service with these settings writes what is not its log. */
const STDERR = join(folder.path, "stderr");
/** As where an operator wants core files of everything. */
const WITH_CORE_FILES = 'ulimit -S -c "$(ulimit -H -c)"; exec "$@" 2>stderr';
const START = { cwd: folder.path, before: ["sh", "-c", WITH_CORE_FILES, "sh"] };

const ofProcess = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");

/** Enters the service's own key into the console, which then asks for everything with it. */
async function useConsole(service: ServiceProcess): Promise<void> {
  secrets.set("console", service.key);
  await using browser = await startBrowser();
  const { page } = await openConsole(browser, service, { isShared: true });
  await page.getByText("No animals yet").waitFor();
  await page.goto(`${service.address}/docs`);
  await page.goBack();
  const devtools = await page.context().newCDPSession(page);
  const { entries } = await devtools.send("Page.getNavigationHistory");
  expect(entries.length).toBeGreaterThan(1);
  const requested = await page.evaluate("performance.getEntries().map(({ name }) => name)");
  const kept = await page.evaluate("[{ ...localStorage }, document.cookie]");
  secrets.take("browser history", JSON.stringify([entries, requested, kept]));
}

/** A relay and an agent's command, which are clients of the service, and the output of a crash of the first. */
async function relayAndCrash({ address }: ServiceProcess): Promise<void> {
  const { stdout: made } = await run(["keys", "create", "--name", "relay"], { cwd: folder.path });
  secrets.set("`API_KEY` of a client", made.trim());
  using receiver = startReceiver();
  const clients = { PATH: process.env.PATH, API_KEY: made.trim() };
  const RELAY_SECRET = `whsec_${secrets.of("secret of a relay")}`;
  const from = ["--from", `${address}/v1`, "--to", receiver.url, "--allow-private", "--position", "position"];
  const watched = ["--metrics-port", "0", "--log-level", "trace"];
  await using relay = new Child([...TIED, ...START.before, PROGRAM, "relay", ...from, ...watched], {
    cwd: folder.path,
    env: { ...clients, RELAY_SECRET },
  });
  const [, metrics = ""] = await relay.says(/"metrics":"([^"]+)"/);
  await relay.says("relaying events");
  const headers = { authorization: `Bearer ${made.trim()}`, "content-type": "application/json" };
  await fetch(`${address}/v1/pets`, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' });
  await relay.says("delivered event");
  secrets.take("metrics", (await Metrics.at(metrics)).text);
  secrets.take("process list", ofProcess(relay.pid, "cmdline"));
  relay.kill("SIGSEGV");
  await relay.ended();
  secrets.take("log", relay.output);
  secrets.take("crash output", readFileSync(STDERR, "utf8"));
  const agent = await run(["mcp", "--url", `${address}/v1`], {
    cwd: folder.path,
    env: { API_KEY: made.trim() },
  });
  expect(agent.exitCode).toBe(0);
  secrets.take("standard error", agent.stdout + agent.stderr);
}

async function serveAndCrash(): Promise<void> {
  using collector = new Collector();
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secrets.of("environment")}` };
  const watched = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    METRICS_PORT: "0",
    STABILITY: "experimental",
  };
  const env = { ...headers, ...watched, TRUST_PROXY: "true", LOG_LEVEL: "trace" };
  for (const end of ["SIGTERM", "SIGSEGV"] as const) {
    await using service = await serve({ ...START, env });
    if (end === "SIGTERM") await useConsole(service);
    await askWithSecrets(service, secrets);
    secrets.take("metrics", (await Metrics.of(service)).text);
    for (const pid of [service.pid, ...service.workers()]) {
      secrets.take("process list", ofProcess(pid, "cmdline"));
      coreFileSizes.push(
        /^Max core file size +(.+?) +bytes/m.exec(ofProcess(pid, "limits"))?.[1]?.replaceAll(/ +/g, " "),
      );
    }
    if (end === "SIGTERM") await relayAndCrash(service);
    service.kill(end);
    await service.exited;
    if (end === "SIGTERM") await service.says('"msg":"stopped"');
    secrets.take("log", service.output());
    secrets.take(end === "SIGTERM" ? "standard error" : "crash output", readFileSync(STDERR, "utf8"));
  }
  secrets.take("traces", collector.bodies.join("\n"));
  secrets.take("core file", JSON.stringify(readdirSync(folder.path)));
}

/** A password in a flag, of a program that crashes while it waits for a server that never answers. */
async function crashWithFlag(): Promise<void> {
  const { promise: waits, resolve: open } = Promise.withResolvers<void>();
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: () => open(), data() {} } });
  const url = `postgres://me:${secrets.of("flag of a setting")}@127.0.0.1:${silent.port}/animals`;
  const running = run(["serve", "--database", url], START);
  await waits;
  const pid = workersOf(process.pid).find((each) => ofProcess(each, "cmdline").includes(url)) as number;
  secrets.take("process list", ofProcess(pid, "cmdline"));
  process.kill(pid, "SIGSEGV");
  await running;
  secrets.take("crash output", readFileSync(STDERR, "utf8"));
}

async function runCommands(): Promise<void> {
  const dotEnv = `OTEL_EXPORTER_OTLP_HEADERS=authorization=${secrets.of("`.env`")}\n`;
  await Bun.write(join(folder.path, ".env"), dotEnv);
  await Bun.write(join(folder.path, "bad.csv"), `name,categoryId\nRex,${secrets.of("file to import")}\n`);
  const certificate = makeCertificate("animals");
  writeFileSync(join(folder.path, "cert.pem"), certificate.cert);
  const broken = certificate.key.replace(/\n[^-]{8}/, `\n${secrets.of("file of a TLS key")}`);
  writeFileSync(join(folder.path, "key.pem"), broken);
  const env = { OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secrets.of("environment")}` };
  const url = `postgres://me:${secrets.of("URL of the database")}@127.0.0.1:1/animals`;
  const unescaped = `postgres://me:a?${secrets.of("URL of the database")}@127.0.0.1:1/animals`;
  const libpq = `host=127.0.0.1 password=${secrets.of("URL of the database")}`;
  const flag = `postgres://me:${secrets.of("flag of a setting")}@127.0.0.1:1/animals`;
  const argument = secrets.of("argument of a command");
  const client = { API_KEY: secrets.of("`API_KEY` of a client") };
  const relayTo = [
    "relay",
    "--from",
    "http://127.0.0.1:1/v1",
    "--to",
    "https://192.0.2.1/",
    "--position",
    "p",
  ];
  await Bun.write(join(folder.path, "relay-secret"), `whsec_${secrets.of("secret of a relay")}!`);
  const commands: [string[], Record<string, string>][] = [
    [["config"], env],
    ...[url, unescaped, libpq].map((DATABASE_URL): [string[], Record<string, string>] => [
      ["config"],
      { DATABASE_URL },
    ]),
    [["config", "--database", flag], {}],
    [["config"], { PORT: secrets.of("environment") }],
    [["config"], {}],
    [["keys", "list"], { DATABASE_URL: url }],
    [["keys", "list", "--database", flag], {}],
    [["keys", "list"], {}],
    [["import", "bad.csv"], {}],
    [["serve"], { TLS_CERT: "cert.pem", TLS_KEY: "key.pem", PORT: "0" }],
    [["keys", "create", "--name", "x", "--expires", argument], {}],
    [["keys", "revoke", argument], {}],
    [["keys", "create", "--name", secrets.of("name of a key")], {}],
    [[`--databse=${flag}`], {}],
    [relayTo, { ...client, RELAY_SECRET: secrets.of("secret of a relay") }],
    [[...relayTo, "--secret-file", "relay-secret"], client],
    [["mcp", "--url", "http://127.0.0.1:1/v1"], client],
  ];
  const answers = commands.map(async ([args, given]) => {
    const inJson = ["serve", "relay", "mcp"].includes(args[0] as string) ? args : [...args, "--json"];
    const { stdout, stderr } = await run(inJson, { cwd: folder.path, env: given });
    secrets.take("`--json`", stdout);
    secrets.take("standard error", stderr);
  });
  const helps = ["config", "import", "keys", "serve", "relay", "mcp"].map(async (name) => {
    const RELAY_SECRET = secrets.of("secret of a relay");
    const { stdout } = await run([name, "--help"], {
      cwd: folder.path,
      env: { ...env, ...client, RELAY_SECRET },
    });
    secrets.take("`--help`", stdout);
  });
  await Promise.all([...answers, ...helps]);
}

// Thirty programs and a browser: on a busy machine too much for one limit.
beforeAll(serveAndCrash);
beforeAll(async () => void (await Promise.all([crashWithFlag(), runCommands()])));

test("what is secret enters in every way and leaves in none, as the table in SECURITY.md says", () => {
  // The kernel writes no core file at this limit, and systemd-coredump keeps none.
  expect([...new Set(coreFileSizes)]).toEqual(["0 0"]);
  expect(readdirSync(folder.path).filter((name) => name.startsWith("core"))).toEqual([]);
  expect(secrets.unused).toEqual([]);
  const page = readFileSync(join(import.meta.dir, "../../SECURITY.md"), "utf8");
  expect(page).toContain(secrets.table);
  expect(page.replaceAll(/\s+/g, " ")).toContain(secrets.exits);
});
