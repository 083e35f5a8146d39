import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Numbers, ShownTogether } from "../../src/stores/postgres/standbys/shown-together.ts";

/** In which order changes of the two logs show: `true` is an append. */
const changes = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });

/** What a server shows, one state after the other. */
function statesOf(order: readonly boolean[]): readonly Numbers[] {
  const states = [{ appends: 0, rewrites: 0 }];
  for (const isAppend of order) {
    const { appends, rewrites } = states.at(-1) as Numbers;
    states.push(isAppend ? { appends: appends + 1, rewrites } : { appends, rewrites: rewrites + 1 });
  }
  return states;
}

function noted(states: readonly Numbers[]): ShownTogether {
  const together = new ShownTogether();
  for (const { appends, rewrites } of states) {
    together.note({
      store: "ours",
      appends: { number: appends, token: appends },
      rewrites: { number: rewrites, token: rewrites },
    });
  }
  return together;
}

test("what a standby showed on its way counts only if the primary has shown each state of it, in any two orders", () => {
  let counted = 0;
  fc.assert(
    fc.property(
      changes.chain((order) =>
        fc.record({
          order: fc.constant(order),
          standby: fc.shuffledSubarray([...order], { minLength: order.length }),
          isNoted: fc.array(fc.boolean(), { minLength: order.length + 1, maxLength: order.length + 1 }),
          now: fc.option(fc.nat(order.length), { nil: undefined }),
          from: fc.nat(order.length),
          length: fc.nat(3),
        }),
      ),
      ({ order, standby, isNoted, now, from, length }) => {
        const shown = statesOf(order);
        const together = noted(shown.filter((_, at) => isNoted[at]));
        const way = statesOf(standby).slice(from, from + length + 1);
        const [first, last] = [way[0] as Numbers, way.at(-1) as Numbers];
        if (!together.has(first, last, now === undefined ? undefined : shown[now])) return;
        counted++;
        for (const state of way) expect(shown).toContainEqual(state);
      },
    ),
    { numRuns: 5000 },
  );
  expect(counted).toBeGreaterThan(100);
});

test("a standby that stays, or follows one log, counts once the primary has shown both ends", () => {
  const together = noted([
    { appends: 3, rewrites: 1 },
    { appends: 9, rewrites: 1 },
  ]);
  expect(together.has({ appends: 5, rewrites: 1 }, { appends: 5, rewrites: 1 }, undefined)).toBe(true);
  expect(together.has({ appends: 3, rewrites: 1 }, { appends: 9, rewrites: 1 }, undefined)).toBe(true);
  expect(together.has({ appends: 3, rewrites: 1 }, { appends: 10, rewrites: 1 }, undefined)).toBe(false);
  const now = { appends: 12, rewrites: 1 };
  expect(together.has({ appends: 3, rewrites: 1 }, { appends: 10, rewrites: 1 }, now)).toBe(true);
  // The other log has gone on meanwhile: it may have been first.
  const other = { appends: 12, rewrites: 2 };
  expect(together.has({ appends: 3, rewrites: 1 }, { appends: 10, rewrites: 1 }, other)).toBe(false);
});
