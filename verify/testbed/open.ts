import { tmpdir } from "node:os";
import { openPostgresPlace } from "./postgres.ts";
import { openSqlitePlace } from "./sqlite.ts";
import { type Place, UnusablePlace } from "./testbed.ts";

/**
 * Opens the place for stores that a URL names, in the folder for temporary files where there is none.
 *
 * @throws UnusablePlace
 */
export async function openPlace(url = `sqlite:${tmpdir()}`): Promise<Place> {
  if (/^sqlite:./.test(url)) return openSqlitePlace(url.slice("sqlite:".length));
  if (/^postgres(?:ql)?:\/\//.test(url)) return await openPostgresPlace(url);
  throw new UnusablePlace(
    "--database must be sqlite:FOLDER, on the disk to test, or postgres://user@host/database, an empty database.",
  );
}
