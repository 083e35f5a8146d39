import { join } from "node:path";
import { guardedFolder } from "../../test/support/postgres/guarded-folder.ts";
import { PostgresPrograms } from "../../test/support/postgres/programs.ts";
import { createReplicatedDatabase } from "../../test/support/postgres/replicated-database.ts";
import { PostgresServer } from "../../test/support/postgres/server.ts";
import { until } from "../../test/support/until.ts";

/** Servers in a chain of streaming replication. */
interface ReplicatedPostgres extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Follows the standby, also after its promotion; `undefined` unless it was asked for. */
  readonly cascaded: PostgresServer | undefined;
  /** The URL of a database on the server that takes writes. */
  url(database: string): string;
  /** Makes an empty database, which each server has when this resolves. */
  createDatabase(name: string): Promise<void>;
  /** Promotes the standby; resolves when it takes writes. The old primary continues as it is. */
  promote(): Promise<void>;
}

interface ReplicationOptions {
  /** Whether a commit waits until the standby has it on its disk; by default it does. */
  readonly synchronous?: boolean;
  readonly cascaded?: boolean;
}

// Servers are killed here, and what they have written to files outlives them; the machine goes on.
const QUICK = "fsync=off";

export async function startReplicatedPostgres({
  synchronous = true,
  cascaded: withCascaded = false,
}: ReplicationOptions = {}): Promise<ReplicatedPostgres> {
  const folder = guardedFolder();
  const programs = new PostgresPrograms(folder.path);
  const data = join(folder.path, "primary");
  await programs.initialise(data);
  // Copied before its first start, the data is that of a base backup.
  const copyTo = async (name: string, upstream: PostgresServer) => {
    const copy = join(folder.path, name);
    programs.copyData(data, copy);
    await Bun.write(join(copy, "standby.signal"), "");
    const follow = `primary_conninfo=host=127.0.0.1 port=${upstream.port} user=postgres application_name=${name}`;
    return new PostgresServer(programs, copy, [follow, QUICK]);
  };
  const names = synchronous ? ["synchronous_standby_names=*"] : [];
  const primary = new PostgresServer(programs, data, [...names, QUICK]);
  const standby = await copyTo("standby", primary);
  const cascaded = withCascaded ? await copyTo("cascaded", standby) : undefined;
  const servers = cascaded ? [primary, standby, cascaded] : [primary, standby];
  // A standby that finds no primary waits 5 s.
  for (const server of servers) await server.start();
  for (const server of servers.slice(0, -1)) {
    const followed = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
    await until(async () => (await server.query(followed)).length > 0);
  }
  return {
    primary,
    standby,
    cascaded,
    url: (database) => {
      const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(",");
      // A busy machine may take longer than a statement may by default, and some tests wait for one to time out.
      return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write&statement_timeout=5000`;
    },
    createDatabase: (name) => createReplicatedDatabase(primary, servers.slice(1), name),
    async promote() {
      await standby.query("SELECT pg_promote()");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      folder[Symbol.dispose]();
    },
  };
}
