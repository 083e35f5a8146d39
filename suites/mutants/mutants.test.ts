import { afterAll, test } from "bun:test";
import { availableParallelism } from "node:os";
import { shareOf } from "../share.ts";
import { MUTANTS } from "./catalogue.ts";
import { Workshop } from "./workshop.ts";

// A test that cannot fail is a defect. Each test here breaks a copy of the repository on purpose and passes if the test
// that holds the broken promise fails.

/** Most of a run is waiting for processes to start, so one more than there are processors. */
const free = Array.from({ length: availableParallelism() + 1 }, () => new Workshop());
const waiting: ((workshop: Workshop) => void)[] = [];
afterAll(() => {
  for (const workshop of free) workshop[Symbol.dispose]();
});

for (const mutant of shareOf(MUTANTS, "mutants")) {
  test.concurrent(`${mutant.noticedBy} notices ${mutant.breaks}`, async () => {
    const workshop = free.pop() ?? (await new Promise<Workshop>((resolve) => waiting.push(resolve)));
    try {
      await workshop.try(mutant);
    } finally {
      const next = waiting.shift();
      if (next) next(workshop);
      else free.push(workshop);
    }
  });
}
