import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { rotate } from "../contest.ts";
import type { RunningSide, Side } from "../side.ts";
import type { Context } from "./experiment.ts";

/** A side of an experiment that compares ours with ours: nothing else answers the same. */
interface Turn {
  readonly side: Side;
  readonly running: RunningSide;
  /** How often it had its turn, warming up included. */
  readonly run: number;
}

/**
 * Lets each of several have its turn in every round; with several rounds, extra ones of a second in all come first, to
 * warm up. Returns what the turns that count returned, by whose they were, in the order of the rounds.
 */
export async function inRounds<Each, Sample>(
  all: readonly Each[],
  { rounds, seconds }: Pick<Context, "rounds" | "seconds">,
  measure: (each: Each, run: number) => Promise<Sample>,
): Promise<ReadonlyMap<Each, readonly Sample[]>> {
  const samples = new Map<Each, Sample[]>(all.map((each) => [each, []]));
  const warmUps = rounds > 1 ? Math.ceil(1 / seconds) : 0;
  for (let run = 0; run < warmUps + rounds; run++) {
    for (const each of rotate([...all], run)) {
      const sample = await measure(each, run);
      if (run >= warmUps) samples.get(each)?.push(sample);
    }
  }
  return samples;
}

/** Starts sides, and lets each have its turn in every round, as `inRounds` does. */
export async function inTurns<Sample>(
  sides: readonly Side[],
  animals: number,
  context: Context,
  measure: (turn: Turn) => Promise<Sample>,
): Promise<ReadonlyMap<Side, readonly Sample[]>> {
  await using stack = new AsyncDisposableStack();
  const running = new Map<Side, RunningSide>();
  for (const [at, side] of sides.entries()) {
    const own = join(context.folder, `${at}`);
    mkdirSync(own);
    running.set(side, stack.use(await side.start({ folder: own, animals, shared: context.shared })));
  }
  return await inRounds(sides, context, (side, run) =>
    measure({ side, running: running.get(side) as RunningSide, run }),
  );
}
