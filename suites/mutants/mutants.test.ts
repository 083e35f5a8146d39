import { afterAll, test } from "bun:test";
import { shareOf } from "../share.ts";
import { MUTANTS } from "./catalogue.ts";
import { Workshop } from "./workshop.ts";

// A test that cannot fail is a defect. Each test here breaks a copy of the repository on purpose and passes if the test
// that holds the broken promise fails.

/** There come to be as many as the runner has tests of a file at once. */
const free: Workshop[] = [];
afterAll(() => {
  for (const workshop of free) workshop[Symbol.dispose]();
});

for (const mutant of shareOf(MUTANTS, "mutants")) {
  test.concurrent(`${mutant.noticedBy} notices ${mutant.breaks}`, async () => {
    const workshop = free.pop() ?? new Workshop();
    try {
      await workshop.try(mutant);
    } finally {
      free.push(workshop);
    }
  });
}
