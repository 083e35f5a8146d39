import { join } from "node:path";
import { guardedFolder } from "./guarded-folder.ts";
import { PostgresPrograms } from "./postgres-programs.ts";
import { PostgresServer } from "./postgres-server.ts";

/** Two servers, of which one follows the other: a commit returns when both have it on their disk. */
export interface ReplicatedPostgres extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The URL of a database on whichever of them takes writes. */
  url(database: string): string;
  /** Makes the standby a primary of its own; resolves when it takes writes. */
  promote(): Promise<void>;
}

// Servers are killed here, and what they have written to files outlives them; the machine goes on.
const QUICK = "fsync=off";

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = guardedFolder();
  const programs = new PostgresPrograms(folder.path);
  const [data, copy] = [join(folder.path, "primary"), join(folder.path, "standby")];
  programs.initialise(data);
  // Copied before its first start, the data is that of a base backup.
  programs.copyData(data, copy);
  const primary = new PostgresServer(programs, data, ["synchronous_standby_names=*", QUICK]);
  await Bun.write(join(copy, "standby.signal"), "");
  const follow = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres`;
  const standby = new PostgresServer(programs, copy, [follow, QUICK]);
  // A standby that finds no primary waits 5 s.
  await primary.start();
  await standby.start();
  const both = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await primary.query(both)).length === 0) await Bun.sleep(20);
  return {
    primary,
    standby,
    url: (database) =>
      `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}?target_session_attrs=read-write`,
    async promote() {
      await standby.query("SELECT pg_promote()");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([primary[Symbol.asyncDispose](), standby[Symbol.asyncDispose]()]);
      folder[Symbol.dispose]();
    },
  };
}
