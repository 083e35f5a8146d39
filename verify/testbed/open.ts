import { tmpdir } from "node:os";
import { openPostgresTestbed } from "./postgres.ts";
import { openSqliteTestbed } from "./sqlite.ts";
import { type Testbed, UnusableTestbed } from "./testbed.ts";

/**
 * Opens the testbed that a URL names; by default SQLite in the folder for temporary files.
 *
 * @throws UnusableTestbed
 */
export async function openTestbed(url = `sqlite:${tmpdir()}`): Promise<Testbed> {
  if (/^sqlite:./.test(url)) return openSqliteTestbed(url.slice("sqlite:".length));
  if (/^postgres(?:ql)?:\/\//.test(url)) return await openPostgresTestbed(url);
  throw new UnusableTestbed(
    "--database must be sqlite:FOLDER, on the disk to test, or postgres://user@host/database, an empty database.",
  );
}
