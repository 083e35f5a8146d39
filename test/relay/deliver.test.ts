import { expect, test } from "bun:test";
import { backOff, GIVE_UP_MS } from "../../relay/back-off.ts";
import { type Delivery, deliver } from "../../relay/deliver.ts";
import { messageOf } from "../../relay/message.ts";
import type { Notice } from "../../relay/notice.ts";
import type { Outcome } from "../../relay/target.ts";

const MESSAGE = messageOf({
  id: 7n,
  type: "animal.created",
  at: "2026-11-27T09:30:00.000Z",
  animal: { id: 1n, name: "Rex", categoryId: 12n, status: "available" },
});

/** Delivers to a target that gives these outcomes, the last one for ever, under a clock of its own. */
function scene(outcomes: readonly Outcome[], random = 0.999) {
  const [notices, sent]: [Notice[], Record<string, string>[]] = [[], []];
  const scene = { now: Date.parse("2026-11-27T10:00:00Z"), notices, sent };
  const begun = scene.now;
  const delivery: Delivery = {
    target: {
      post: async ({ headers }) => {
        sent.push({ ...headers, at: `${scene.now}` });
        return outcomes[Math.min(sent.length, outcomes.length) - 1] as Outcome;
      },
    },
    secrets: [Buffer.alloc(32)],
    agent: "animal-store-relay/test",
    notify: (notice) => void notices.push(notice),
    clock: {
      now: () => scene.now,
      random: () => random,
      sleep: async (milliseconds) => {
        scene.now += milliseconds;
      },
    },
    stop: new AbortController().signal,
    cut: new AbortController().signal,
  };
  return { scene, delivery, sent, notices, elapsed: () => scene.now - begun };
}

const FAILED: Outcome = { kind: "failed", reason: "status 500" };

test("a failed delivery is repeated with the same id and a new timestamp until it is accepted", async () => {
  const { delivery, sent, notices } = scene([FAILED, FAILED, FAILED, { kind: "delivered", status: 204 }]);
  await deliver(MESSAGE, delivery);
  expect(sent.map((headers) => headers["webhook-id"])).toEqual(Array(4).fill(MESSAGE.id));
  for (const headers of sent) {
    expect(headers["webhook-timestamp"]).toBe(`${Math.floor(Number(headers.at) / 1000)}`);
    expect(headers["user-agent"]).toBe("animal-store-relay/test");
  }
  expect(new Set(sent.map((headers) => headers["webhook-signature"])).size).toBeGreaterThan(1);
  expect(notices.map(({ notice }) => notice)).toEqual([
    "attempt_failed",
    "attempt_failed",
    "attempt_failed",
    "delivered",
  ]);
});

test("the back-off doubles from 1 s to 1 h, with full jitter", () => {
  const longest = [1, 2, 3, 4, 12, 13, 50].map((failures) =>
    backOff(failures, undefined, 0.9999, Number.POSITIVE_INFINITY),
  );
  expect(longest.map((ms) => Math.round(ms / 1000))).toEqual([1, 2, 4, 8, 2048, 3600, 3600]);
  expect(backOff(50, undefined, 0, Number.POSITIVE_INFINITY)).toBe(0);
});

test("a target's Retry-After is respected, up to the time that is left", () => {
  expect(backOff(1, 120_000, 0.5, Number.POSITIVE_INFINITY)).toBe(120_000);
  expect(backOff(13, 1000, 0.5, Number.POSITIVE_INFINITY)).toBe(1_800_000);
  expect(backOff(1, 10 ** 12, 0.5, 5000)).toBe(5000);
});

test("after three days of failures the relay gives up and names the event", async () => {
  const { delivery, sent, elapsed } = scene([FAILED]);
  await expect(deliver(MESSAGE, delivery)).rejects.toMatchObject({
    why: "undelivered",
    message: expect.stringMatching(/event 7 .* three days.*status 500/),
  });
  expect(elapsed()).toBe(GIVE_UP_MS);
  expect(sent.length).toBeGreaterThan(70);
});

test("a Retry-After of years ends with a last attempt after three days", async () => {
  const { delivery, sent, elapsed } = scene([{ ...FAILED, retryAfterMs: 10 ** 12 }]);
  await expect(deliver(MESSAGE, delivery)).rejects.toMatchObject({ why: "undelivered" });
  expect([sent.length, elapsed()]).toEqual([2, GIVE_UP_MS]);
});

test("410 ends the relay at once", async () => {
  const { delivery, sent } = scene([FAILED, { kind: "gone" }]);
  await expect(deliver(MESSAGE, delivery)).rejects.toMatchObject({
    why: "gone",
    message: expect.stringMatching(/410 to event 7/),
  });
  expect(sent.length).toBe(2);
});
