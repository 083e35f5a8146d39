import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { cpuMicroseconds } from "../accounting.ts";
import type { Call } from "../call.ts";
import { show, table } from "../report/text.ts";
import { startServer } from "../server.ts";
import { signedPages } from "../sides/animal-store.ts";
import { spread } from "../spread.ts";
import { ANIMAL_COLUMNS } from "../stock.ts";
import { CHANGES_A_SECOND, keepChanging } from "./keep-changing.ts";
import { service } from "./wrk.ts";

const ANIMALS = 100_000;
const CALLS = 60_000;

/** A create as one statement; an earlier schema takes ids from the row of `state`. */
const CREATE = `
  WITH locked AS MATERIALIZED (SELECT FROM animal_store.state WHERE single FOR UPDATE),
    logged AS (INSERT INTO animal_store.append_log SELECT FROM locked)
  INSERT INTO animal_store.animal
  SELECT nextval('animal_store.animal_id_seq'), 'Bruno the Second', 12, 'available' FROM locked`;
const CREATE_BEFORE = `
  WITH granted AS (
    UPDATE animal_store.state SET last_animal_id = last_animal_id + 1, stock_revision = stock_revision + 1
    RETURNING last_animal_id AS id)
  INSERT INTO animal_store.animal SELECT id, 'Bruno the Second', 12, 'available' FROM granted`;

interface HeldSnapshotOptions {
  /** The folders of the checkouts, by their names in the table. */
  readonly checkouts: Readonly<Record<string, string>>;
  /** Commits made while the snapshot is held. */
  readonly commits: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly folder: string;
}

interface Subject extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly sql: SQL;
  /** Makes commits of one create each, inside PostgreSQL. */
  commit(count: number): Promise<void>;
  lists(seconds: number, run: number): Promise<number>;
  creates(seconds: number, run: number): Promise<number>;
}

/** Measures lists and creates before, while and after another client holds a snapshot during many commits. */
export async function measureHeldSnapshot(options: HeldSnapshotOptions): Promise<string> {
  const { checkouts, commits, rounds, seconds, folder } = options;
  // Reads are measured and commits are many, so nothing waits for the disk.
  await using postgres = await startOwnPostgres(["fsync=off", "synchronous_commit=off", "max_wal_size=8GB"]);
  const pid = Number(readFileSync(join(postgres.data, "postmaster.pid"), "utf8").split("\n")[0]);
  await using undo = new AsyncDisposableStack();
  const subjects: Subject[] = [];
  for (const [name, root] of Object.entries(checkouts)) {
    subjects.push(undo.use(await start(name, root, await postgres.createDatabase(), folder)));
  }
  const rows: string[][] = [];
  let run = 0;
  const measure = async (when: string) => {
    const figures = subjects.map(() => ({
      lists: [] as number[],
      cpu: [] as number[],
      creates: [] as number[],
    }));
    for (let round = 0; round < rounds; round++) {
      for (const [at, subject] of subjects.entries()) {
        const before = cpuMicroseconds(pid);
        const lists = await subject.lists(seconds, run++);
        await Bun.sleep(200);
        figures[at]?.lists.push(lists / seconds);
        figures[at]?.cpu.push((cpuMicroseconds(pid) - before) / lists);
        figures[at]?.creates.push((await subject.creates(1, run++)) / 1);
      }
    }
    for (const [at, { name, sql }] of subjects.entries()) {
      const [{ pages }] = await sql`SELECT pg_relation_size('animal_store.state') / 8192 AS pages`;
      const { lists = [], cpu = [], creates = [] } = figures[at] ?? {};
      rows.push([
        when,
        name,
        show(spread(lists), 0),
        show(spread(cpu), 1),
        show(spread(creates), 0),
        `${pages}`,
      ]);
      console.error(rows.at(-1)?.join(" | "));
    }
  };
  await Promise.all(subjects.map((subject) => subject.lists(1, run++)));
  await measure("no snapshot held");
  const holders = await Promise.all(subjects.map(({ url }) => hold(url)));
  for (const part of [1 / 10, 1 / 3, 1]) {
    const goal = Math.round(commits * part);
    const done = rows.length <= subjects.length ? 0 : Math.round(commits * (part === 1 ? 1 / 3 : 1 / 10));
    for (const subject of subjects) await subject.commit(goal - done);
    await measure(`held, ${goal} commits`);
  }
  const changers = subjects.map(({ url }) => keepChanging(url, ANIMALS));
  await measure(`held, and ${CHANGES_A_SECOND} changes of status a second`);
  for (const changer of changers) await changer.stop();
  for (const holder of holders) await holder.close();
  for (const { sql } of subjects) await sql`VACUUM (ANALYZE)`;
  await measure("released, and vacuumed");
  const head = [
    "",
    "",
    "lists a second",
    "PostgreSQL, CPU µs a list",
    "creates a second",
    "pages of `state`",
  ];
  return `### While another client holds a snapshot\n\n${table(head, rows)}`;
}

async function start(name: string, root: string, url: string, folder: string): Promise<Subject> {
  await using undo = new AsyncDisposableStack();
  const keyFile = join(folder, `key-${name}`);
  const env = { DATABASE_URL: url, FIRST_KEY: keyFile };
  const server = undo.use(
    await startServer([join(root, "bin/animal-store"), "serve", "--port", "0", "--log-level", "info"], {
      folder,
      env,
    }),
  );
  const sql = new SQL({ url, max: 1 });
  undo.defer(() => sql.close());
  await sql.unsafe(
    `INSERT INTO animal_store.animal SELECT id, ${ANIMAL_COLUMNS} FROM generate_series(1, ${ANIMALS}) AS ids (id)`,
  );
  const [{ hot }] = await sql`
    SELECT EXISTS (SELECT FROM information_schema.columns
                    WHERE table_schema = 'animal_store' AND column_name = 'last_animal_id') AS hot`;
  if (hot) await sql`UPDATE animal_store.state SET last_animal_id = ${ANIMALS}`;
  await sql`VACUUM (ANALYZE)`;
  const [{ value }] = await sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`;
  const pagePath = signedPages(value);
  const headers = { authorization: `Bearer ${readFileSync(keyFile, "utf8").trim()}` };
  const anyId = () => 1 + Math.floor(Math.random() * (ANIMALS - 100));
  const create: Call = {
    method: "POST",
    path: "/v1/pets",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"name":"Bruno the Second","categoryId":12,"status":"available"}',
  };
  // A parameter without a meaning makes each path unique, so that no cache helps.
  const lists = service(name, [server.address], (run) =>
    Array.from({ length: CALLS }, (_, at) => ({
      method: "GET",
      path: `${pagePath(anyId(), undefined)}&x=${run}.${at}`,
      headers,
    })),
  );
  const creates = service(name, [server.address], () => [create]);
  const everything = undo.move();
  return {
    name,
    url,
    sql,
    async commit(count) {
      await sql
        .unsafe(
          `SET plan_cache_mode = force_generic_plan; SET animal_store.appends = 'on'; SET enable_seqscan = off;
           SET jit = off`,
        )
        .simple();
      await sql
        .unsafe(
          `DO $$ BEGIN FOR n IN 1..${count} LOOP ${hot ? CREATE_BEFORE : CREATE}; COMMIT; END LOOP; END $$`,
        )
        .simple();
    },
    lists: async (seconds, run) => (await lists.drive(seconds, run)).operations,
    creates: async (seconds, run) => (await creates.drive(seconds, run)).operations,
    [Symbol.asyncDispose]: () => everything[Symbol.asyncDispose](),
  };
}

/** Opens another client's transaction, which holds a snapshot until it ends. */
async function hold(url: string): Promise<SQL> {
  const holder = new SQL({ url, max: 1 });
  await holder.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await holder`SELECT FROM animal_store.state`;
  return holder;
}
