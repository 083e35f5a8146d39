import { afterAll, beforeAll, expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { type Instances, startInstances } from "../../test/support/instances.ts";
import { Metrics } from "../../test/support/metrics.ts";
import { History } from "./history.ts";
import { ClusterLoad, InstanceWalker } from "./load.ts";
import { Network } from "./network.ts";
import { Cluster, type Member } from "./patroni.ts";

// Three PostgreSQL servers under Patroni, in synchronous mode, and three instances with all of them in their URL, of which
// two also read from standbys: whatever happens to the servers, nothing that was acknowledged is lost, no id is given twice, ids ascend in the
// order of creation, and the service is there again soon after a new leader is.

/** How long a list may lack what another instance has acknowledged, while two servers take writes. */
const STALE_MAX_MS = 5000;

let cluster: Cluster;
let instances: Instances;
const history = new History();
let walkers: InstanceWalker[];
const figures: Record<string, string | number>[] = [];

beforeAll(async () => {
  requirePrograms({
    ip: "iproute2",
    iptables: "iptables",
    patroni: "patroni python3-psycopg2",
    etcd: "etcd-server",
  });
  // The folder and the cluster go with the namespaces that this runs in.
  cluster = await Cluster.start(new Network(), temporaryFolder().path);
  await using sql = (await cluster.leader()).connect();
  await sql`CREATE ROLE animal_store LOGIN`;
  await sql`CREATE DATABASE animals OWNER animal_store ENCODING UTF8`;
  instances = await startInstances(cluster.url("animal_store", "animals"), 3, (at) => ({
    READ_STANDBYS: `${at > 0}`,
    METRICS_PORT: "0",
  }));
  walkers = instances.callers().map((caller, at) => new InstanceWalker(caller, at, history));
});

afterAll(async () => {
  console.table(figures);
  await instances?.[Symbol.asyncDispose]();
});

/** How many reads standbys have answered, for each instance. */
async function readsOfStandbys(): Promise<number[]> {
  const all = await Promise.all(instances.processes.map((process) => Metrics.of(process)));
  return all.map((metrics) => metrics.sum("animal_store_standby_reads_total"));
}

/** What a scenario does to the cluster under load. */
interface Scenario {
  readonly name: string;
  /** Does it to the leader; where another is promoted, `expectsPromotion` holds. */
  readonly fault: (leader: Member) => void | Promise<void>;
  readonly expectsPromotion: boolean;
  /** Undoes it, once the service goes on; where nobody is promoted, so that it goes on. */
  readonly repair: (leader: Member) => void | Promise<void>;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "the leader is killed, PostgreSQL and Patroni",
    fault: (leader) => leader.kill(),
    expectsPromotion: true,
    repair: (leader) => leader.start(),
  },
  {
    name: "PostgreSQL of the leader is killed",
    fault: (leader) => leader.killPostgres(),
    expectsPromotion: true,
    repair: () => {},
  },
  {
    name: "the operator switches over",
    fault: (leader) => cluster.patronictl("switchover", "--master", leader.name, "--force"),
    expectsPromotion: true,
    repair: () => {},
  },
  {
    name: "the leader is cut off from everybody",
    fault: (leader) => leader.host.cut(),
    expectsPromotion: true,
    repair: (leader) => leader.host.reconnect(),
  },
  {
    name: "the leader is cut off from etcd",
    fault: (leader) => leader.host.block(cluster.etcd.address),
    expectsPromotion: true,
    repair: (leader) => leader.host.unblock(cluster.etcd.address),
  },
  {
    name: "the leader is cut off from the service alone",
    fault: (leader) => leader.host.block(Network.address),
    expectsPromotion: false,
    repair: (leader) => leader.host.unblock(Network.address),
  },
  {
    name: "Patroni of the leader is frozen, so that two servers take writes",
    fault: (leader) => leader.freezePatroni(),
    expectsPromotion: true,
    // A Patroni that goes on with its old view of etcd may take the lead back: operators fence such a member.
    async repair(leader) {
      await leader.kill();
      leader.start();
    },
  },
  {
    name: "PostgreSQL is killed while the cluster is paused",
    fault: async (leader) => {
      await cluster.patronictl("pause", "--wait");
      await leader.killPostgres();
    },
    expectsPromotion: false,
    repair: () => cluster.patronictl("resume", "--wait"),
  },
];

test.each(SCENARIOS)("$name", async ({ name, fault, expectsPromotion, repair }) => {
  await cluster.whenHealthy();
  const leader = await cluster.leader();
  using load = new ClusterLoad(instances.callers(), history, walkers);
  await load.serves(20);
  history.staleMs = 0;
  const refusedBefore = history.refused;

  const promotion = expectsPromotion ? cluster.promotion(leader) : undefined;
  const began = performance.now();
  await fault(leader);
  let servedFrom: number;
  if (promotion) {
    servedFrom = (await promotion).at;
  } else {
    // Until then nobody has anything to serve from.
    const { refused } = history;
    await load.until(() => history.refused >= refused + 20);
    await repair(leader);
    servedFrom = performance.now();
  }
  const { creates, lists } = await load.firstAfter(servedFrom);
  await load.serves(20);
  if (promotion) await repair(leader);
  await cluster.whenHealthy();
  await load.serves(20);
  await load.stop();
  const answered = await readsOfStandbys();

  figures.push({
    scenario: name,
    "promoted or repaired, ms": Math.round(servedFrom - began),
    "creates after that, ms": creates.join(" "),
    "lists after that, ms": lists.join(" "),
    "answers 503": history.refused - refusedBefore,
    "stale, ms": Math.round(history.staleMs),
    "read from standbys": answered.join(" "),
  });
  history.judgeStock(walkers.map(({ walker }) => walker));
  expect(history.staleMs).toBeLessThan(STALE_MAX_MS);
});

test("no client notices that a member is rebuilt", async () => {
  await cluster.whenHealthy();
  using load = new ClusterLoad(instances.callers(), history, walkers);
  await load.serves(20);
  const before = history.refused;
  const standby = (await cluster.states()).find(({ role }) => role === "sync_standby");
  await cluster.patronictl("reinit", standby?.name as string, "--force");
  await load.serves(50);
  await cluster.whenHealthy();
  await load.serves(20);
  await load.stop();
  figures.push({ scenario: "a member is rebuilt", "answers 503": history.refused - before });
  history.judgeStock(walkers.map(({ walker }) => walker));
});

test("standbys have answered the instances that read from them, and no other", async () => {
  const [none, ...others] = await readsOfStandbys();
  expect(none).toBe(0);
  expect(Math.min(...others)).toBeGreaterThan(0);
});
