import { type Instances, startInstances } from "../../test/support/instances.ts";
import { Metrics } from "../../test/support/metrics.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { until } from "../../test/support/until.ts";

/** Instances that read from standbys. */
export interface Readers extends Instances {
  /** How many reads each server answered as a standby, and why the others were left to the primary. */
  metrics(at: number): Promise<Metrics>;
  /** How many reads a standby has answered for all instances. */
  answersOf(standby: Pick<PostgresServer, "port">): Promise<number>;
}

const ANSWERS = "animal_store_standby_reads_total";

export async function startReaders(url: string, count: number): Promise<Readers> {
  const env = { READ_STANDBYS: "true", METRICS_PORT: "0", STABILITY: "experimental" };
  const instances = await startInstances(url, count, env);
  const metrics: Readers["metrics"] = (at) =>
    Metrics.of(instances.processes[at] as Instances["processes"][0]);
  return {
    ...instances,
    metrics,
    async answersOf({ port }) {
      const all = await Promise.all(instances.processes.map((_, at) => metrics(at)));
      return all.reduce((sum, each) => sum + each.sum(ANSWERS, { server: `127.0.0.1:${port}` }), 0);
    },
  };
}

/** Reads until a standby has answered some more reads. */
export async function untilAnswers(readers: Readers, standby: Pick<PostgresServer, "port">): Promise<void> {
  const before = await readers.answersOf(standby);
  await until(async () => {
    for (const caller of readers.callers()) {
      // No instance has a response to it in its cache.
      const answer = await caller.list(`limit=100&asked=${crypto.randomUUID()}`);
      if (answer.status !== 200) throw new Error(`a list got ${answer.status}: ${await answer.text()}`);
      await answer.body?.cancel();
    }
    return (await readers.answersOf(standby)) > before;
  });
}
