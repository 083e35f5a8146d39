import { until } from "../until.ts";
import type { PostgresServer } from "./server.ts";

/** Makes an empty database, which each standby has when this resolves. */
export async function createReplicatedDatabase(
  primary: PostgresServer,
  standbys: readonly PostgresServer[],
  name: string,
): Promise<void> {
  await primary.query(`CREATE DATABASE ${name}`);
  const made = `SELECT 1 FROM pg_database WHERE datname = '${name}'`;
  for (const standby of standbys) await until(async () => (await standby.query(made)).length > 0);
}
