import { afterAll, expect, test } from "bun:test";
import {
  documented,
  expectFilled,
  expectRemembered,
  fill,
  goOn,
  startOn,
} from "../../test/postgres/restored-store.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { distributionPrograms } from "../../test/support/installed-programs.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";

// The commands of docs/data.md, as they stand there, with the distribution's pg_dump, pg_restore and psql.

const bin = distributionPrograms();
const server = await startOwnPostgres([], bin);
afterAll(() => server[Symbol.asyncDispose]());

/** A database whose owner is no superuser. */
async function createOwnedDatabase(): Promise<string> {
  const url = new URL(await server.createDatabase());
  await server.query("CREATE ROLE animals_owner LOGIN");
  await server.query(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO animals_owner`);
  url.username = "animals_owner";
  return url.href;
}

test("a store is dumped and restored by the documented commands, and no id is given again", async () => {
  using folder = temporaryFolder();
  const url = await createOwnedDatabase();
  const paste = (lines: string) => {
    const PATH = `${bin}:${process.env.PATH}`;
    const run = Bun.spawnSync(["sh", "-e", "-c", lines], {
      cwd: folder.path,
      env: { PATH, DATABASE_URL: url },
    });
    expect([run.exitCode, run.stderr.toString()]).toEqual([0, ""]);
  };
  const before = await startOn(url);
  const { key } = before;
  const next = await fill(before);
  const revoked = await before.issueKey();
  paste(`pg_dump${documented("data.md", "```sh\npg_dump", "\n```")}`);

  const since = await goOn(before, revoked);
  const rename = 'psql "$DATABASE_URL" -c';
  paste(rename + documented("data.md", rename, "\n```"));

  await using service = await startOn(url);
  await expectFilled(service, next, key);
  await expectRemembered(service, key, since);
});
