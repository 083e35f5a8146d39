import { mock } from "bun:test";
import { isValidAt, type Revision } from "../../src/domain/revision.ts";
import type { PostgresUrl } from "../../src/stores/postgres/connect/url.ts";
import { VirtualClock } from "./clock.ts";
import { Cluster } from "./cluster.ts";
import { COPIED, nameOfAnimal } from "./contents.ts";
import { Random } from "./random.ts";
import { KEY } from "./server.ts";

let cluster: Cluster;

// The only seam to sockets below the store. Everything above it is the code that a service runs.
mock.module("../../src/stores/postgres/connect/server.ts", () => ({
  START_CONNECT_MS: 5000,
  connect: ({ name }: { name: string }, target: PostgresUrl) =>
    cluster.network.connect(name, target.options.connectTimeoutMs),
  endSession: ({ sql }: { sql: { close(): Promise<void> } }) => sql.close(),
}));

const { openPool } = await import("../../src/stores/postgres/connect/open-pool.ts");
const { StandbyReads } = await import("../../src/stores/postgres/standbys/standby-reads.ts");
const { ReadBatcher } = await import("../../src/stores/postgres/read-batcher.ts");
const { Animals } = await import("../../src/stores/postgres/animals.ts");

const READERS = 4;
const FAULTS = [
  "delayStandby",
  "delayStandby",
  "replaceStore",
  "rebuildStandby",
  "restorePrimary",
  "promote",
] as const;

/** What may happen to the servers. */
export type Fault = (typeof FAULTS)[number];

/** How a run differs from the usual one. */
export interface Scenario {
  /** What happens before the first request. */
  readonly first?: Fault;
  /** What happens later; everything unless given. */
  readonly faults?: readonly [Fault, ...Fault[]];
  /** When the first change is made, in milliseconds. */
  readonly quietMs?: number;
}

/** What a run has shown. */
export interface Run {
  /** The requests that were answered, and those that failed, which is allowed. */
  readonly answered: number;
  readonly failed: number;
  /** The reads that standbys answered. */
  readonly byStandbys: number;
  readonly virtualMs: number;
  /** The first wrong answer, if there is one. */
  readonly wrong: string | undefined;
  /** All that happened, in order. */
  readonly history: readonly string[];
}

/** A value that is kept as long as no later revision invalidates it, as the response cache and the known keys do. */
interface Kept<Value> {
  readonly asOf: Revision;
  readonly value: Value;
}

/** Runs the real code for a while over servers to which happens what the seed says. */
export async function simulate(seed: number, virtualMs: number, scenario: Scenario = {}): Promise<Run> {
  using clock = new VirtualClock();
  const random = new Random(seed);
  const history: string[] = [];
  const begun = clock.now;
  const note = (what: string) => history.push(`${clock.now.toFixed(1)} ms: ${what}`);
  cluster = new Cluster(clock, random, note);
  const mine = cluster;
  const end = begun + virtualMs;
  let [answered, failed, byStandbys] = [0, 0, 0];
  let wrong: string | undefined;
  const isOver = () => wrong !== undefined || clock.now >= end;

  const opening = openPool("postgres://u@a,b,c/d?target_session_attrs=read-write");
  let isOpen = false;
  void opening.then(() => (isOpen = true));
  await clock.runUntil(end, () => isOpen);
  const pool = await opening;
  pool.expectStore();
  const standbys = new StandbyReads(pool, () => {}, {
    serves() {},
    lags() {},
    fellBack() {},
    answered(_, reads) {
      byStandbys += reads;
    },
  });
  const reads = new ReadBatcher(pool, standbys);
  const animals = new Animals(reads);

  const pages = new Map<number, Kept<string | undefined>>();
  let key: Kept<boolean> | undefined;

  /** One request, as the handler makes it: the revision decides whether what is kept still counts. */
  const request = async (id: number) => {
    const { revision, found, valid } = reads.together((revision) => ({
      revision,
      found: animals.find(BigInt(id)),
      valid: reads.run((sql) => sql.unsafe<{ isKeyValid: boolean }[]>(KEY)),
    }));
    const [latest, animal, [row]] = await Promise.all([revision, found, valid]);
    const kept = pages.get(id);
    if (!kept || !isValidAt(kept.asOf, latest, "append"))
      pages.set(id, { asOf: latest, value: animal?.name });
    if (!key || !isValidAt(key.asOf, latest, "keys")) key = { asOf: latest, value: row?.isKeyValid === true };
    return { isKeyValid: key.value, name: pages.get(id)?.value };
  };

  /** Each answer must have been true at a moment between its request and its response. */
  const judge = (id: number, since: number, answer: { isKeyValid: boolean; name: string | undefined }) => {
    const { truth } = mine;
    const later = truth.findIndex((one) => one.since > since);
    const possible = truth.slice((later === -1 ? truth.length : later) - 1).map(({ contents }) => contents);
    const isTrue =
      possible.some(({ isKeyValid }) => isKeyValid === answer.isKeyValid) &&
      (!answer.isKeyValid || possible.some((contents) => nameOfAnimal(contents, id) === answer.name));
    if (isTrue) return;
    const names = [...new Set(possible.map((contents) => `${nameOfAnimal(contents, id)}`))].join(" or ");
    const keys = [...new Set(possible.map(({ isKeyValid }) => isKeyValid))].join(" or ");
    wrong = `animal ${id}, asked at ${since.toFixed(1)} ms: ${answer.name}, key ${answer.isKeyValid}; true: ${names}, key ${keys}`;
    note(`WRONG: ${wrong}`);
  };

  const reader = async () => {
    while (!isOver()) {
      await clock.sleep(random.between(1, 60));
      const known = COPIED + (mine.truth.at(-1)?.contents.appends.length ?? 0);
      const id = random.happens(0.4) ? 1 : Math.max(1, known - random.below(4) + 1);
      const since = clock.now;
      try {
        const answer = await request(id);
        answered++;
        judge(id, since, answer);
      } catch (error) {
        if ((error as Error).message.includes("does not know")) throw error;
        failed++;
      }
    }
  };
  const repeat = async (what: () => void, least: number, most: number) => {
    while (!isOver()) {
      await clock.sleep(random.between(least, most));
      what();
    }
  };
  if (scenario.first) mine[scenario.first]();
  clock.at(begun + (scenario.quietMs ?? 0), () => void repeat(() => mine.write(), 5, 300));
  void repeat(() => mine[random.pick(scenario.faults ?? FAULTS)](), 300, 4000);
  for (let at = 0; at < READERS; at++) void reader();
  await clock.runUntil(end, isOver);
  standbys.stop();
  let isClosed = false;
  void pool.close().then(() => (isClosed = true));
  await clock.runUntil(end + 60_000, () => isClosed);
  return { answered, failed, byStandbys, virtualMs: clock.now - begun, wrong, history };
}
