import { NoResponse } from "../../contract/client.ts";
import { BrokenPromise, Inconclusive } from "../../contract/contract-violation.ts";
import { generateApiKey, hashApiKey } from "../../src/domain/api-key.ts";
import type { Observation } from "../../src/observations/observation.ts";
import { Workload } from "../../verify/history/workload.ts";
import { walkStore } from "../../verify/walk.ts";
import { VirtualClock } from "./clock.ts";
import { Cluster } from "./cluster.ts";
import type { StoredKey } from "./contents.ts";
import { type OpenStream, PageFollower, StreamFollower } from "./follower.ts";
import { connectTo, type Instance, type Seen, SimulatedClient, startInstance } from "./instance.ts";
import { judge } from "./judge.ts";
import type { Plan } from "./plan.ts";
import { Random } from "./random.ts";
import { hex } from "./statements.ts";

const CLIENTS = 4;
/** The animals that a copy has brought, where the history need not begin with an empty store. */
const COPIED = 5;
/** Until when each instance has begun to record events, in milliseconds. */
const RECORDED_MAX_MS = 1500;
/** Machines' clocks differ by this much at most. */
const CLOCK_DIFFERENCE_MS = 5000;

/** An instance that looks every second has seen by then that all is whole, in milliseconds. */
const NOTICED_MS = 3000;
/** Within this time a stream has brought what there is, in milliseconds. */
const STREAMED_MAX_MS = 20_000;

/** What a run has shown. */
export interface Run {
  /** The requests that were answered, and of those the ones with 503, which is allowed. */
  readonly answered: number;
  readonly unavailable: number;
  /** The creates and orders that were acknowledged. */
  readonly acknowledged: number;
  /** The events that streams have brought. */
  readonly streamed: number;
  /** The reads that standbys answered. */
  readonly byStandbys: number;
  readonly virtualMs: number;
  /** The first wrong answer, if there is one. */
  readonly wrong: string | undefined;
  /** All that happened, in order. */
  readonly history: readonly string[];
}

function keyOf(id: number): { readonly key: string; readonly stored: StoredKey } {
  const key = generateApiKey("production", (length) => new Uint8Array(length).fill(id));
  return { key, stored: { id, hash: hex(hashApiKey(key)), revokedAt: null } };
}
const KEPT = keyOf(1);
/** Keys that the operator revokes, and makes valid again. */
const CHANGING = [keyOf(2), keyOf(3)] as const;

/** Runs two instances of the real code over servers to which happens what the plan says. */
export async function simulate(plan: Plan): Promise<Run> {
  using clock = new VirtualClock();
  const random = new Random(plan.seed * 2 + 1);
  const history: string[] = [];
  const begun = clock.now;
  const note = (what: string) => history.push(`${clock.now.toFixed(1)} ms: ${what}`);
  const animals = plan.clients === "traders" ? 0 : COPIED;
  const keys = [KEPT, ...CHANGING].map(({ stored }) => stored);
  const cluster = new Cluster({
    clock,
    random,
    animals,
    keys,
    waits: plan.waits,
    records: plan.records,
    note,
  });
  connectTo(cluster.network);
  const end = begun + plan.virtualMs;
  let [answered, unavailable, acknowledged, byStandbys] = [0, 0, 0, 0];
  let wrong: string | undefined;
  const fail = (what: string) => {
    if (wrong !== undefined) return;
    wrong = what;
    note(`WRONG: ${what}`);
  };
  const isOver = () => wrong !== undefined || clock.now >= end;
  const until = async <Result>(work: Promise<Result>, withinMs = 60_000): Promise<Result> => {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    await clock.runUntil(clock.now + withinMs, () => isDone);
    if (!isDone) throw new Error(`nothing came within ${withinMs} simulated ms`);
    return await work;
  };

  const emit = (name: string) => (event: Observation) => note(`${name}: ${describe(event)}`);
  const names = ["one", "two"];
  const starting = names.map((name) => {
    const aheadMs = Math.round(random.between(0, CLOCK_DIFFERENCE_MS));
    return startInstance(aheadMs, emit(name), (reads) => {
      byStandbys += reads;
    });
  });
  const instances = await until(Promise.all(starting));
  const seen =
    (name: string, key: StoredKey): Seen =>
    (call, answer) => {
      answered++;
      if (answer.status === 503) unavailable++;
      if (answer.status === 201) acknowledged++;
      const span = `${answer.from.toFixed(1)} to ${answer.to.toFixed(1)} ms`;
      note(
        `${name} answers ${answer.status} to ${call.body ? "a write of" : "GET"} ${call.path}, from ${span}`,
      );
      const problem = judge(cluster, key, call, answer);
      if (problem !== undefined) fail(problem);
    };
  const clientsWith = ({ key, stored }: typeof KEPT) =>
    names.map((name, at) => {
      const { handle } = instances[at] as Instance;
      return new SimulatedClient(name, key, handle, clock, random, seen(name, stored));
    });
  const kept = clientsWith(KEPT);
  const changing = CHANGING.flatMap(clientsWith);
  const wasShown = (event: string) => cluster.restoredAt > 0 || cluster.wasShown(event);
  const follower = new PageFollower(kept, wasShown);
  const streams = kept.map(
    (client): OpenStream =>
      (call, isEnough) =>
        client.read(call, isEnough),
  );
  const listeners = [streams, streams.toReversed()].map((open) => new StreamFollower(open, wasShown));
  const workload = new Workload();
  for (const { at, fault } of plan.faults) clock.at(begun + at, () => isOver() || cluster.happen(fault));

  const whole = (work: Promise<unknown>) => work.catch((error: unknown) => fail(reasonOf(error)));
  const follow = async () => {
    while (!isOver()) {
      await follower.read(fail);
      // A reader that is away finds other events in the place of lost ones.
      if (random.happens(0.1)) await clock.sleep(random.between(0, 3000));
    }
  };
  const listen = async (listener: StreamFollower, enough: () => boolean, due: number) => {
    while (!enough() && clock.now < due) {
      await listener.follow(fail, enough, Math.min(random.between(100, 8000), due - clock.now));
      await clock.sleep(random.between(1, random.happens(0.2) ? 2000 : 50));
    }
  };
  const repeat = async (what: () => void, least: number, most: number) => {
    await clock.sleep(plan.quietMs);
    while (!isOver()) {
      await clock.sleep(random.between(least, most));
      if (!isOver()) what();
    }
  };
  const reader = async (id: number) => {
    for (let turn = 0; !isOver(); turn++) {
      const client = random.pick([...kept, ...changing]) as SimulatedClient;
      const mayCreate = plan.clients !== "watchers" && clock.now >= begun + plan.quietMs;
      await client.send(aCall(cluster, random, mayCreate ? `${id}.${turn}` : undefined));
    }
  };
  const options = { clients: kept, name: "s", seed: plan.seed, buying: 0.25, enough: isOver };
  const work: Promise<unknown>[] = [];
  if (plan.records) {
    // Services may start at any time.
    for (const instance of instances) clock.at(begun + random.between(0, RECORDED_MAX_MS), instance.record);
    work.push(whole(follow()), ...listeners.map((each) => whole(listen(each, isOver, end))));
  }
  if (plan.clients === "traders") work.push(whole(workload.run(CLIENTS, options)));
  else {
    for (let id = 0; id < CLIENTS; id++) work.push(whole(reader(id)));
    work.push(
      repeat(() => cluster.rename(), 20, 800),
      repeat(() => cluster.changeKey(random.pick(CHANGING).stored.id), 200, 2500),
    );
  }
  await until(Promise.all(work), plan.virtualMs + 60_000);

  if (wrong === undefined) {
    cluster.heal();
    await whole(until(judgeAll()));
  }
  await until(Promise.all(instances.map((instance) => instance.stop())));
  const streamed = listeners.reduce((all, { brought }) => all + brought, 0);
  return {
    answered,
    unavailable,
    acknowledged,
    streamed,
    byStandbys,
    virtualMs: clock.now - begun,
    wrong,
    history,
  };

  /** Once everything is whole: no acknowledged write is lost, one order explains all answers, and the feed lacks nothing. */
  async function judgeAll(): Promise<void> {
    // Each path has connections of its own, and a loss without a word shows once they are used.
    for (const client of kept)
      for (const path of ["/pets?limit=1", "/orders?limit=1"])
        while ((await client.send({ path })).status !== 200);
    if (plan.clients === "traders") {
      await workload.retryUnanswered(options);
      const { animals, orders } = await walkStore(kept[0] as SimulatedClient, true);
      workload.history.judge(animals, orders);
    }
    const twice = cluster.createdTwice();
    if (twice !== undefined) return fail(`"${twice}" was created once, and is there twice`);
    if (!plan.records) return;
    await clock.sleep(NOTICED_MS);
    if (!cluster.contents.recording) return fail("changes are recorded no more");
    if (cluster.restoredAt > 0) return;
    while ((await follower.read(fail)) !== 0);
    const due = clock.now + STREAMED_MAX_MS;
    for (const each of listeners) await listen(each, () => each.misses(cluster.contents) === undefined, due);
    const missed = [follower, ...listeners].map((each) => each.misses(cluster.contents)).find(Boolean);
    if (missed !== undefined) fail(missed);
  }
}

/** A request of a reader, mostly for what changes. @param name of the animal that it may create, if it may */
function aCall(cluster: Cluster, random: Random, name: string | undefined) {
  const highest = Number(cluster.contents.animals.at(-1)?.id ?? 0);
  const choice = random.next();
  if (choice < 0.3) return { path: "/pets/1" };
  if (choice < 0.55) return { path: `/pets/${Math.max(1, highest - random.below(4) + 1)}` };
  if (choice < 0.7) return { path: "/pets?limit=100" };
  if (choice < 0.8 || name === undefined) return { path: "/pets?sort=-id&limit=5" };
  const body = JSON.stringify({ name, categoryId: 1, status: "available" });
  return { path: "/pets", body, headers: { ...(random.happens(0.5) && { "Idempotency-Key": name }) } };
}

function reasonOf(error: unknown): string {
  const isOurs =
    error instanceof BrokenPromise || error instanceof Inconclusive || error instanceof NoResponse;
  return isOurs ? JSON.stringify(error, Object.getOwnPropertyNames(error)) : `${(error as Error).stack}`;
}

function describe({ event, ...rest }: Observation): string {
  const shownNever = ["requestId"];
  const shown = Object.entries(rest)
    .filter(([name]) => !shownNever.includes(name))
    .map(([name, value]) => `${name} ${value instanceof Error ? value.message : value}`);
  return [event, ...shown].join(", ");
}
