import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cpuMicroseconds, type Memory, memoryOf } from "./accounting.ts";
import { ask, compare } from "./ask.ts";
import { CONNECTIONS, drive } from "./load.ts";
import { createCall, type Scenario } from "./scenarios.ts";
import type { Call, RunningSide } from "./side.ts";
import { startAnimalStore } from "./sides/animal-store.ts";
import { fillStock, STOCK } from "./stock.ts";

/** What one side did in one round. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** CPU time of the server's process for each request, in microseconds. */
  readonly cpuPerRequest: number;
  readonly p99Milliseconds: number;
}

export interface SideResult {
  readonly name: string;
  /** One a round. */
  readonly samples: readonly Sample[];
}

export interface ScenarioResult {
  readonly scenario: Scenario;
  /** Ours first, then the others in the scenario's order. */
  readonly sides: readonly SideResult[];
  /** Of ours, after the last round. */
  readonly memory: Memory;
}

export interface Length {
  readonly seconds: number;
  readonly rounds: number;
}

interface Contestant {
  readonly name: string;
  readonly running: RunningSide;
  readonly samples: Sample[];
  /** Creates answered with 201, and how many more may have been cut off unanswered. */
  created: number;
  unanswered: number;
}

export const OURS = "animal-store";

/**
 * Starts the sides of a scenario, checks that they answer alike, and lets them take turns. Each round
 * measures every side once; in the next another goes first. Where there are several rounds, one more
 * goes before them that only warms up.
 *
 * @param folder an empty one
 * @param tell hears of progress
 */
export async function measure(
  scenario: Scenario,
  folder: string,
  { seconds, rounds }: Length,
  tell: (progress: string) => void,
): Promise<ScenarioResult> {
  await using stack = new AsyncDisposableStack();
  const ours = stack.use(await startAnimalStore(newFolder(folder, OURS)));
  const call = scenario.call(ours.key);
  const create = createCall(ours.key);
  await fillStock(ours, create);
  const model = await ask(ours.address, call);
  const contestants = [contestant(OURS, ours)];
  for (const { side } of scenario.others) {
    const running = stack.use(await side.start(newFolder(folder, side.name), model));
    if (running.stored) await fillStock(running, create);
    compare(side.name, await ask(running.address, call), model);
    contestants.push(contestant(side.name, running));
  }
  for (const each of contestants) each.created = STOCK + (call.method === "POST" ? 1 : 0);

  const warmUps = rounds > 1 ? 1 : 0;
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const each of rotate(contestants, round)) {
      const sample = await run(each, call, seconds);
      if (round >= warmUps) each.samples.push(sample);
      const place = round < warmUps ? "warming up" : `round ${round - warmUps + 1} of ${rounds}`;
      tell(`${scenario.name}, ${place}: ${each.name} ${Math.round(sample.requestsPerSecond)} requests/s`);
    }
  }
  for (const each of contestants) checkStored(each);
  return { scenario, sides: contestants, memory: memoryOf(ours.pid) };
}

function contestant(name: string, running: RunningSide): Contestant {
  return { name, running, samples: [], created: 0, unanswered: 0 };
}

function newFolder(parent: string, name: string): string {
  const path = join(parent, name.replaceAll(" ", "-"));
  mkdirSync(path, { recursive: true });
  return path;
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

async function run(each: Contestant, call: Call, seconds: number): Promise<Sample> {
  const { pid, address } = each.running;
  const before = cpuMicroseconds(pid);
  const { requests, microseconds, p99Microseconds } = await drive(address, call, seconds);
  const used = cpuMicroseconds(pid) - before;
  if (call.method === "POST") {
    each.created += requests;
    // wrk leaves without waiting for the last answers.
    each.unanswered += CONNECTIONS;
  }
  return {
    requestsPerSecond: requests / (microseconds / 1e6),
    cpuPerRequest: used / requests,
    p99Milliseconds: p99Microseconds / 1000,
  };
}

/** @throws where an animal whose creation was acknowledged is not in the store, or one is there that nobody sent */
function checkStored({ name, running, created, unanswered }: Contestant): void {
  const stored = running.stored?.();
  if (stored === undefined || (stored >= created && stored <= created + unanswered)) return;
  throw new Error(
    `${name} acknowledged ${created} animals and stores ${stored}; at most ${unanswered} were not answered`,
  );
}
