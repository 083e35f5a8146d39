import { expect, test } from "bun:test";
import { StoreFailure } from "../../src/domain/failure.ts";
import { WriteCheck } from "../../src/stores/write-check.ts";

const FULL = new StoreFailure("store_unavailable", "the disk is full");

test("a store is probed only if no transaction has recently shown that it accepts writes", async () => {
  let tries = 0;
  let disk: "writes" | "is full" = "writes";
  const hadFailed: boolean[] = [];
  const write = async (hasFailed: boolean) => {
    tries++;
    hadFailed.push(hasFailed);
    if (disk === "is full") throw FULL;
  };
  const proof = new WriteCheck(write);

  await proof.check();
  expect(tries).toBe(1);
  // That was a transaction too.
  await proof.check();
  expect(tries).toBe(1);

  disk = "is full";
  expect(await proof.observe(Promise.reject(FULL)).catch((error) => error)).toBe(FULL);
  expect(await proof.check().catch((error) => error)).toBe(FULL);
  expect(await proof.check().catch((error) => error)).toBe(FULL);
  expect(tries).toBe(3);

  disk = "writes";
  await proof.check();
  expect(tries).toBe(4);
  expect(hadFailed).toEqual([false, true, true, true]);
});

test("a create shows that too, and a defect of the service shows nothing", async () => {
  const proof = new WriteCheck(() => Promise.reject(FULL));
  expect(await proof.observe(Promise.resolve("stored"))).toBe("stored");
  await proof.check();
  await proof.observe(Promise.reject(new Error("a mistake"))).catch(() => {});
  await proof.check();
});

test("if others write too, a store is probed again soon, and may be busy", async () => {
  let answer: () => Promise<unknown> = () => Promise.reject(FULL);
  const proof = new WriteCheck(() => answer(), 0);
  await proof.observe(Promise.resolve("stored"));
  answer = () => new Promise(() => {});
  await proof.check();
  answer = () => Promise.reject(FULL);
  expect(await proof.check().catch((error) => error)).toBe(FULL);
  // From then on only a transaction shows that it can be written.
  const { promise, resolve } = Promise.withResolvers<void>();
  answer = () => promise;
  let shown = false;
  const checking = proof.check().then(() => {
    shown = true;
  });
  await Bun.sleep(600);
  expect(shown).toBe(false);
  resolve();
  await checking;
});
