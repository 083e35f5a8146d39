import { expect, test } from "bun:test";
import fc from "fast-check";
import { inOrder } from "../../relay/in-order.ts";

interface Item {
  readonly at: number;
  readonly key: number;
  /** Turns of the event loop that its run takes. */
  readonly turns: number;
}

const ITEMS = fc
  .array(fc.record({ key: fc.nat(3), turns: fc.nat(4) }), { maxLength: 30 })
  .map((items) => items.map((item, at) => ({ at, ...item })));

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Processes items, and notes what happened. */
async function record(items: readonly Item[], atOnce: number, failsAt?: number) {
  const [begun, ended, done] = [[], [], []] as [number[], number[], number[]];
  let most = 0;
  let failures = 0;
  const result = await inOrder<Item>(items, {
    atOnce,
    keyOf: ({ key }) => key,
    async run({ at, turns: count }) {
      begun.push(at);
      most = Math.max(most, begun.length - ended.length);
      await turns(count);
      ended.push(at);
      if (at === failsAt) throw new Error(`${at} failed`);
    },
    onDone({ at }) {
      for (let before = 0; before <= at; before++) expect(ended).toContain(before);
      done.push(at);
    },
    onFailure: () => void failures++,
  }).catch((error: Error) => error.message);
  return { begun, ended, done, most, failures, result };
}

test("it runs each item once, no more together than allowed, and items with the same key in order", async () => {
  await fc.assert(
    fc.asyncProperty(ITEMS, fc.integer({ min: 1, max: 5 }), async (items, atOnce) => {
      const { begun, ended, done, most, result } = await record(items, atOnce);
      expect(result).toBeUndefined();
      expect([...begun].sort((a, b) => a - b)).toEqual(items.map(({ at }) => at));
      expect(most).toBeLessThanOrEqual(atOnce);
      expect(done).toEqual(items.map(({ at }) => at));
      for (const key of new Set(items.map(({ key }) => key))) {
        const ofKey = (list: readonly number[]) => list.filter((at) => items[at]?.key === key);
        expect(ofKey(ended)).toEqual(ofKey(items.map(({ at }) => at)));
      }
      if (atOnce === 1) expect(ended).toEqual(items.map(({ at }) => at));
    }),
  );
});

test("after a failure nothing is begun, and nothing counts as done that stands behind it", async () => {
  await fc.assert(
    fc.asyncProperty(ITEMS, fc.integer({ min: 1, max: 5 }), fc.nat(29), async (items, atOnce, failsAt) => {
      fc.pre(failsAt < items.length);
      const { begun, ended, done, failures, result } = await record(items, atOnce, failsAt);
      expect(result).toBe(`${failsAt} failed`);
      expect(failures).toBe(1);
      expect([...ended].sort()).toEqual([...begun].sort());
      expect(done).toEqual([...done.keys()]);
      expect(done.length).toBeLessThanOrEqual(failsAt);
    }),
  );
});
