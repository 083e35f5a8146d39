import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBrowser } from "../browser/browser.ts";
import { openConsole } from "../browser/console.ts";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { run, type ServiceProcess, serve, workersOf } from "../support/program.ts";
import { Collector } from "./collector.ts";
import { askWithSecrets } from "./secrecy/ask-with-secrets.ts";
import { Secrets } from "./secrecy/secrets.ts";

// Each entrance gets a secret of its own, and each exit is searched for all of them. SECURITY.md has the table.

const secrets = new Secrets();
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
  const { page } = await openConsole(browser, service);
  await page.getByText("No animals yet").waitFor();
  await page.goto(`${service.address}/docs`);
  await page.goBack();
  const devtools = await page.context().newCDPSession(page);
  const { entries } = await devtools.send("Page.getNavigationHistory");
  expect(entries.length).toBeGreaterThan(1);
  const requested = await page.evaluate("performance.getEntries().map(({ name }) => name)");
  secrets.take("browser history", JSON.stringify([entries, requested]));
}

async function serveAndCrash(collector: Collector): Promise<void> {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secrets.of("environment")}` };
  const watched = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, METRICS_PORT: "0" };
  const env = { ...headers, ...watched, TRUST_PROXY: "true", LOG_LEVEL: "trace" };
  for (const end of ["SIGTERM", "SIGSEGV"] as const) {
    await using service = await serve({ ...START, env });
    if (end === "SIGTERM") await useConsole(service);
    await askWithSecrets(service, secrets);
    secrets.take("metrics", (await Metrics.of(service)).text);
    for (const pid of [service.pid, ...service.workers()]) {
      secrets.take("process list", ofProcess(pid, "cmdline"));
      // The kernel writes no core file at this limit, and systemd-coredump keeps none.
      expect(ofProcess(pid, "limits")).toMatch(/^Max core file size +0 +0 /m);
    }
    service.kill(end);
    await service.exited;
    if (end === "SIGTERM") await service.says('"msg":"stopped"');
    secrets.take("log", service.output());
    secrets.take(end === "SIGTERM" ? "standard error" : "crash output", readFileSync(STDERR, "utf8"));
  }
  secrets.take("traces", collector.bodies.join("\n"));
  secrets.take("core file", JSON.stringify(readdirSync(folder.path)));
  for (const name of readdirSync(folder.path)) {
    if (name.startsWith("core")) secrets.take("core file", readFileSync(join(folder.path, name), "latin1"));
  }
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
  ];
  const answers = commands.map(async ([args, given]) => {
    const inJson = args[0] === "serve" ? args : [...args, "--json"];
    const { stdout, stderr } = await run(inJson, { cwd: folder.path, env: given });
    secrets.take("`--json`", stdout);
    secrets.take("standard error", stderr);
  });
  const helps = ["config", "import", "keys", "serve"].map(async (name) => {
    const { stdout } = await run([name, "--help"], { cwd: folder.path, env });
    secrets.take("`--help`", stdout);
  });
  await Promise.all([...answers, ...helps]);
}

test("what is secret enters in every way and leaves in none, as the table in SECURITY.md says", async () => {
  using collector = new Collector();
  await serveAndCrash(collector);
  await Promise.all([crashWithFlag(), runCommands()]);
  expect(secrets.unused).toEqual([]);
  expect(readFileSync(join(import.meta.dir, "../../SECURITY.md"), "utf8")).toContain(secrets.table);
});
