import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import {
  documented,
  expectFilled,
  expectRemembered,
  fill,
  goOn,
  startOn,
} from "../../test/postgres/restored-store.ts";
import { loadStored } from "../../test/releases/stored.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { distributionPrograms } from "../../test/support/installed-programs.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";

// The commands of docs/data.md, as they stand there, with the distribution's pg_dump, pg_restore and psql.

const bin = distributionPrograms();
const server = await startOwnPostgres([], bin);
afterAll(() => server[Symbol.asyncDispose]());

/** A database whose owner is no superuser. */
async function createOwnedDatabase(owner: string): Promise<string> {
  const url = new URL(await server.createDatabase());
  await server.query(`CREATE ROLE ${owner} LOGIN`);
  await server.query(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${owner}`);
  url.username = owner;
  return url.href;
}

const DUMP = `pg_dump${documented("data.md", "```sh\npg_dump", "\n```")}`;
const RENAME = 'psql "$DATABASE_URL" -c';
const RESTORE = RENAME + documented("data.md", RENAME, "\n```");

/** Runs lines of a page in a shell. */
function paste(lines: string, { path: cwd }: { readonly path: string }, DATABASE_URL: string): void {
  const PATH = `${join(import.meta.dir, "../../bin")}:${bin}:${process.env.PATH}`;
  const run = Bun.spawnSync(["sh", "-e", "-c", lines], { cwd, env: { PATH, DATABASE_URL } });
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ""]);
}

test("a store is dumped and restored by the documented commands, and no id is given again", async () => {
  using folder = temporaryFolder();
  const url = await createOwnedDatabase("animals_owner");
  const before = await startOn(url);
  const { key } = before;
  const next = await fill(before);
  const revoked = await before.issueKey();
  paste(DUMP, folder, url);

  const since = await goOn(before, revoked);
  paste(RESTORE, folder, url);

  await using service = await startOn(url);
  await expectFilled(service, next, key);
  await expectRemembered(service, key, since);
});

test("a dump of 0.2.0 is restored by the documented commands after an upgrade, and no id is given again", async () => {
  using folder = temporaryFolder();
  const url = await createOwnedDatabase("former_owner");
  await loadStored({ url }, "0.2.0");
  paste(DUMP, folder, url);
  const before = await startOn(url);
  const since = await goOn(before, await before.issueKey());
  paste(RESTORE, folder, url);

  await using service = await startOn(url);
  await expectRemembered(service, since.issued.key, since);
});
