import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { CHECKS, SAFE } from "./checks.ts";
import { readable } from "./counterexample.ts";
import { check, fetchTlc, MODEL } from "./tlc.ts";

// TLC visits every state of the model of decision 15, with each check of the protocol and without it.

/** A model whose actions are never possible has fewer states. */
const STATES_MIN = 1000;

const visited: Record<string, { states: number; seconds: number }> = {};

await fetchTlc();

afterAll(() => console.table(visited));

test("each check of the model is switched off once", () => {
  const named = [...readFileSync(MODEL, "utf8").matchAll(/\bOn\("(\w+)"\)/g)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(CHECKS.map(({ name }) => name as string).sort());
});

for (const [name, bounds] of shareOf(Object.entries(SAFE), "bounds of the model")) {
  test(
    `every promise holds: ${name}`,
    async () => {
      const { violated, states, output } = await measured(name, () => check(bounds, []));
      if (violated !== undefined) throw new Error(`${violated} does not hold:\n${readable(output)}`);
      expect(states).toBeGreaterThan(STATES_MIN);
    },
    LONG_RUN_MS,
  );
}

for (const { name, shows, breaks, bounds } of shareOf(CHECKS, "checks switched off")) {
  test(
    `not checked that ${shows}: ${breaks} fails`,
    async () => {
      const { violated, output } = await measured(`without ${name}`, () => check(bounds, [name]));
      const steps = readable(output);
      console.log(`\nwithout ${name}, ${violated} fails:\n${steps}`);
      expect(violated).toBe(breaks);
      expect(steps).toMatch(/^ 1\. Initial\n.* 2\. \w+\n.* → /);
    },
    LONG_RUN_MS,
  );
}

async function measured(name: string, run: () => ReturnType<typeof check>) {
  const began = performance.now();
  const found = await run();
  visited[name] = { states: found.states, seconds: Math.round((performance.now() - began) / 100) / 10 };
  return found;
}
