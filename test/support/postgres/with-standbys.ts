import { rmSync } from "node:fs";
import { join } from "node:path";
import { distributionPrograms } from "../installed-programs.ts";
import { until } from "../until.ts";
import { guardedFolder } from "./guarded-folder.ts";
import { PostgresPrograms } from "./programs.ts";
import { createReplicatedDatabase } from "./replicated-database.ts";
import { PostgresServer } from "./server.ts";
import { UNHURRIED } from "./unhurried.ts";

/** A primary of the distribution's PostgreSQL, and its standbys. */
export interface Servers extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standbys: readonly PostgresServer[];
  /** The URL of a database on some of them; on all unless it is said. */
  url(database: string, servers?: readonly Pick<PostgresServer, "port">[]): string;
  /** Replaces what a standby has by a base backup of the primary, at the same address. */
  rebuild(standby: PostgresServer): Promise<void>;
  /** Makes an empty database, which each standby has when this resolves. */
  createDatabase(name: string): Promise<void>;
}

export interface ServerOptions {
  /** The standbys whose answer a commit waits for; none by default. */
  readonly synchronous?: string;
  /** The settings of each standby, in addition to those that every one has. */
  readonly standbys?: readonly (readonly string[])[];
  /** The settings of every server. */
  readonly settings?: readonly string[];
  /** The standby that the last one follows in place of the primary. */
  readonly lastFollows?: number;
}

// Servers are killed here, and what they have written to files outlives them; the machine goes on.
const QUICK = "fsync=off";

export async function startServers(options: ServerOptions = {}): Promise<Servers> {
  const { synchronous, standbys: wanted = [[], []], settings = [], lastFollows } = options;
  const folder = guardedFolder();
  const programs = new PostgresPrograms(folder.path, distributionPrograms());
  const data = join(folder.path, "primary");
  await programs.initialise(data);
  const common = [QUICK, ...settings];
  // What stands on the command line cannot be changed later.
  const names = synchronous === undefined ? [] : [`synchronous_standby_names=${synchronous}`];
  const primary = new PostgresServer(programs, data, [...names, ...common]);
  const standbys: PostgresServer[] = [];
  // Copied before its first start, the data is that of a base backup.
  for (const [at, own] of wanted.entries()) {
    const name = `standby${at + 1}`;
    const copy = join(folder.path, name);
    programs.copyData(data, copy);
    await Bun.write(join(copy, "standby.signal"), "");
    const followed = at === wanted.length - 1 && lastFollows !== undefined ? standbys[lastFollows] : primary;
    const follow = `primary_conninfo=host=127.0.0.1 port=${followed?.port} user=postgres application_name=${name}`;
    standbys.push(new PostgresServer(programs, copy, [follow, ...common, ...own]));
  }
  const servers = [primary, ...standbys];
  for (const server of servers) await server.start();
  const followers = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
  const direct = standbys.length - (lastFollows === undefined ? 0 : 1);
  await until(async () => (await primary.query(followers)).length === direct);
  return {
    primary,
    standbys,
    url(database, named: readonly Pick<PostgresServer, "port">[] = servers) {
      const hosts = named.map(({ port }) => `127.0.0.1:${port}`).join(",");
      return `postgres://postgres@${hosts}/${database}${UNHURRIED}`;
    },
    async rebuild(standby) {
      await standby.kill();
      rmSync(standby.data, { recursive: true });
      programs.baseBackup(primary.port, standby.data);
      await Bun.write(join(standby.data, "standby.signal"), "");
      await standby.start();
    },
    createDatabase: (name) => createReplicatedDatabase(primary, standbys, name),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      folder[Symbol.dispose]();
    },
  };
}
