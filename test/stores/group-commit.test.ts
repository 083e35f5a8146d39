import { expect, test } from "bun:test";
import { StoreFailure } from "../../src/domain/failure.ts";
import { GroupCommit, type WrittenBatch } from "../../src/stores/group-commit.ts";
import { until } from "../support/until.ts";

// A batch may be on the disk before it may be acknowledged: on PostgreSQL the other servers are asked in between.

const REX = { name: "Rex" };
const UNHURRIED_MS = 60_000;

/** An engine whose commits succeed at once, and whose confirmations are given by the test. */
class Engine {
  readonly confirmations: PromiseWithResolvers<void>[] = [];
  #lastId = 0n;

  write = async (creates: readonly unknown[]): Promise<WrittenBatch<{ id: bigint }>> => {
    const confirmation = Promise.withResolvers<void>();
    this.confirmations.push(confirmation);
    return { results: creates.map(() => ({ id: ++this.#lastId })), confirmed: confirmation.promise };
  };
}

test("the next batch is written while the one before waits to be confirmed", async () => {
  const engine = new Engine();
  const creates = new GroupCommit(engine.write, UNHURRIED_MS);
  const acknowledged: bigint[] = [];
  const add = () => creates.add(REX).then(({ id }) => acknowledged.push(id));
  const adding = [add()];
  await until(() => engine.confirmations.length === 1);
  adding.push(add());
  await until(() => engine.confirmations.length === 2);
  expect(acknowledged).toEqual([]);
  engine.confirmations[1]?.resolve();
  await until(() => acknowledged.length === 1);
  expect(acknowledged).toEqual([2n]);
  engine.confirmations[0]?.resolve();
  await Promise.all(adding);
  expect(acknowledged).toEqual([2n, 1n]);
});

test("a create that is not confirmed is refused, and the others of its batch are not", async () => {
  const engine = new Engine();
  const commits: unknown[] = [];
  const creates = new GroupCommit(engine.write, UNHURRIED_MS, {
    committed: ({ error }) => void commits.push(error),
  });
  const replaced = new StoreFailure("store_unavailable", "another server was promoted");
  const refused = creates.add(REX).catch((error) => error);
  await until(() => engine.confirmations.length === 1);
  const added = creates.add(REX);
  await until(() => engine.confirmations.length === 2);
  engine.confirmations[0]?.reject(replaced);
  engine.confirmations[1]?.resolve();
  expect(await refused).toBe(replaced);
  expect(await added).toMatchObject({ id: 2n });
  expect(commits).toEqual([replaced, undefined]);
});

test("a create that waits too long to be confirmed is refused", async () => {
  const engine = new Engine();
  const creates = new GroupCommit(engine.write, 50);
  expect(await creates.add(REX).catch((error) => error)).toBeInstanceOf(StoreFailure);
  engine.confirmations[0]?.resolve();
  await creates.close();
});

test("closing waits for unconfirmed writes", async () => {
  const engine = new Engine();
  const creates = new GroupCommit(engine.write, UNHURRIED_MS);
  const added = creates.add(REX);
  await until(() => engine.confirmations.length === 1);
  let isClosed = false;
  const closing = creates.close().then(() => {
    isClosed = true;
  });
  await Bun.sleep(0);
  expect(isClosed).toBe(false);
  engine.confirmations[0]?.resolve();
  await closing;
  expect(await added).toMatchObject({ id: 1n });
});
