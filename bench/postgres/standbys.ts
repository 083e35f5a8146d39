import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Metrics } from "../../test/support/metrics.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { startServers } from "../../test/support/postgres/with-standbys.ts";
import { cpuMicroseconds } from "../accounting.ts";
import type { Call } from "../call.ts";
import { spawn } from "../child.ts";
import { runWrk } from "../load/wrk.ts";
import { show, table } from "../report/text.ts";
import { signedPages } from "../sides/animal-store.ts";
import { spread } from "../spread.ts";
import { ANIMAL_COLUMNS } from "../stock.ts";
import { keepChanging } from "./keep-changing.ts";

const ANIMALS = 100_000;
const CALLS = 60_000;
const START_MS = 30_000;
const CONNECTIONS = [64, 8, 1];

interface Subject {
  readonly name: string;
  readonly address: string;
  metrics(): Promise<Metrics>;
  headers: Readonly<Record<string, string>>;
}

interface Figures {
  readonly pages: number;
  /** Of the primary, and of all servers, for a page. */
  readonly primary: number;
  readonly all: number;
}

/**
 * Measures uncached pages with and without reads from two standbys, on the same servers in turns: the CPU time of the primary
 * for a page, and how many pages are left to it while animals change.
 */
export async function measureStandbys(rounds: number, seconds: number, folder: string): Promise<string> {
  await using servers = await startServers();
  await servers.createDatabase("animals");
  await using undo = new AsyncDisposableStack();
  const start = async (name: string, standbys: boolean): Promise<Subject> => {
    const keyFile = join(folder, "first-key");
    const env = {
      DATABASE_URL: servers.url("animals"),
      FIRST_KEY: keyFile,
      METRICS_PORT: "0",
      READ_STANDBYS: `${standbys}`,
    };
    const child = undo.use(
      spawn([join(import.meta.dir, "../../bin/animal-store"), "serve", "--port", "0"], { cwd: folder, env }),
    );
    const [, address = ""] = await child.says(/"msg":"listening on (http:[^"]+)"/, START_MS);
    const [, metrics = ""] = /"metrics":"([^"]+)"/.exec(child.output) ?? [];
    const headers = { authorization: `Bearer ${readFileSync(keyFile, "utf8").trim()}` };
    return { name, address, headers, metrics: () => Metrics.at(metrics) };
  };
  // The first creates the store and its key.
  const subjects = [await start("off", false), await start("on", true)];
  await using sql = new SQL({ url: servers.primary.url("animals"), max: 1 });
  await sql.unsafe(
    `INSERT INTO animal_store.animal SELECT id, ${ANIMAL_COLUMNS} FROM generate_series(1, ${ANIMALS}) AS ids (id)`,
  );
  await sql`VACUUM (ANALYZE)`;
  const [{ value }] = await sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`;
  const pagePath = signedPages(value);
  const pids = [servers.primary, ...servers.standbys].map(pidOf);
  let run = 0;
  const measure = async (subject: Subject, connections: number): Promise<Figures> => {
    run++;
    // A parameter without a meaning makes each path unique, so that no cache helps.
    const calls = Array.from(
      { length: CALLS },
      (_, at): Call => ({
        method: "GET",
        path: `${pagePath(1 + Math.floor(Math.random() * (ANIMALS - 100)), undefined)}&x=${run}.${at}`,
        headers: subject.headers,
      }),
    );
    const before = pids.map(cpuMicroseconds);
    const { requests } = await runWrk(subject.address, calls, { seconds, connections, threads: 1 });
    const used = pids.map((pid, at) => (cpuMicroseconds(pid) - (before[at] ?? 0)) / requests);
    return {
      pages: requests / seconds,
      primary: used[0] ?? 0,
      all: used.reduce((sum, each) => sum + each, 0),
    };
  };
  const rows: string[][] = [];
  for (const connections of CONNECTIONS) {
    const figures = subjects.map((): Figures[] => []);
    for (const subject of subjects) await measure(subject, connections);
    for (let round = 0; round < rounds; round++) {
      for (const [at, subject] of subjects.entries()) figures[at]?.push(await measure(subject, connections));
    }
    const ratios = (figures[1] ?? []).map(({ primary }, at) => primary / (figures[0]?.[at]?.primary ?? 0));
    for (const [at, { name }] of subjects.entries()) {
      const of = (figure: keyof Figures) => spread((figures[at] ?? []).map((each) => each[figure]));
      rows.push([
        `${connections}`,
        name,
        show(of("pages"), 0),
        show(of("primary"), 1),
        show(of("all"), 1),
        at === 0 ? "" : show(spread(ratios), 2),
      ]);
      console.error(rows.at(-1)?.join(" | "));
    }
  }
  const [, on] = subjects as [Subject, Subject];
  const changer = keepChanging(servers.primary.url("animals"), ANIMALS);
  const before = await on.metrics();
  await measure(on, CONNECTIONS[0] as number);
  await changer.stop();
  const after = await on.metrics();
  const grown = (name: string) => after.sum(name) - before.sum(name);
  const share = grown("animal_store_standby_fallbacks_total") / grown("animal_store_standby_reads_total");
  const head = [
    "connections",
    "standbys",
    "pages a second",
    "primary, CPU µs a page",
    "all servers, CPU µs a page",
    "primary, to off",
  ];
  return (
    `### Uncached pages, and two standbys\n\n${table(head, rows)}\n\n` +
    `With 100 changes of animals a second, ${(100 * share).toFixed(1)} % of the pages were left to the primary.\n`
  );
}

function pidOf({ data }: PostgresServer): number {
  return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
}
