import { type Instances, startInstances } from "../../test/support/instances.ts";
import { Metrics } from "../../test/support/metrics.ts";
import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { until } from "../../test/support/until.ts";

/** Instances that read from standbys. */
export interface Readers extends Instances {
  /** How many reads each server answered as a standby, and why the others were left to the primary. */
  metrics(at: number): Promise<Metrics>;
  /** How many reads a standby has answered for all instances, or for one. */
  answersOf(standby: Pick<PostgresServer, "port">, at?: number): Promise<number>;
}

const ANSWERS = "animal_store_standby_reads_total";

export async function startReaders(url: string, count: number, stability = "experimental"): Promise<Readers> {
  const env = { READ_STANDBYS: "true", METRICS_PORT: "0", STABILITY: stability };
  const instances = await startInstances(url, count, env);
  const metrics: Readers["metrics"] = (at) =>
    Metrics.of(instances.processes[at] as Instances["processes"][0]);
  return {
    ...instances,
    metrics,
    async answersOf({ port }, one) {
      const asked = one === undefined ? instances.processes.map((_, at) => at) : [one];
      const all = await Promise.all(asked.map(metrics));
      return all.reduce((sum, each) => sum + each.sum(ANSWERS, { server: `127.0.0.1:${port}` }), 0);
    },
  };
}

/** Reads until a standby has answered some more reads: of any instance, or of one. It has then replayed all that was shown before. */
export async function untilAnswers(
  readers: Readers,
  standby: Pick<PostgresServer, "port">,
  at?: number,
): Promise<void> {
  const callers = at === undefined ? readers.callers() : [readers.caller(at)];
  const before = await readers.answersOf(standby, at);
  await until(async () => {
    for (const caller of callers) {
      // No instance has a response to it in its cache.
      const answer = await caller.list(`limit=100&asked=${crypto.randomUUID()}`);
      if (answer.status !== 200) throw new Error(`a list got ${answer.status}: ${await answer.text()}`);
      await answer.body?.cancel();
    }
    return (await readers.answersOf(standby, at)) > before;
  });
}
