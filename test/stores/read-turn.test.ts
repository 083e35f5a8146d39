import { expect, test } from "bun:test";
import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import { ReadTurn } from "../../src/stores/read-turn.ts";

const revision = { epoch: 0, append: 0, rewrite: 0, keys: 0 };

/** A turn whose reads are numbers, and the numbers that each turn has read. */
function turnOf(repliesAtOnce: boolean) {
  const turns: number[][] = [];
  let now = 0;
  const turn = new ReadTurn(
    (work) => {
      turns.push([]);
      return work(revision);
    },
    repliesAtOnce,
    () => now,
  );
  const read = (n: number, milliseconds = 0): MaybePromise<unknown> =>
    turn.read(() => {
      now += milliseconds;
      turns.at(-1)?.push(n);
    });
  return { turns, turn, read };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a turn has at most 64 reads, in the order in which they came", async () => {
  const { turns, read } = turnOf(false);
  for (let n = 0; n < 200; n++) void read(n);
  await nextTurn();
  expect(turns.map(({ length }) => length)).toEqual([64, 64, 64, 8]);
  expect(turns.flat()).toEqual(Array.from({ length: 200 }, (_, n) => n));
  await read(200);
  expect(turns.at(-1)).toEqual([200]);
});

test("a turn begins reads for 5 ms, and the rest in the next", async () => {
  const { turns, read } = turnOf(false);
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => read(n, 2)));
  expect(turns).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

test("few reads run at once", async () => {
  const { turns, read } = turnOf(true);
  for (let n = 0; n < 200; n++) {
    expect(read(n)).not.toBeInstanceOf(Promise);
    expect(turns).toHaveLength(n + 1);
    if (n % 4 === 3) await nextTurn();
  }
});

test("reads are collected once many arrive, and no longer when they have become few", async () => {
  const { turns, read } = turnOf(true);
  for (let n = 0; n < 100; n++) void read(n);
  expect(turns).toHaveLength(100);
  await nextTurn();
  for (let n = 0; n < 50; n++) void read(n);
  expect(turns).toHaveLength(100);
  await nextTurn();
  expect(turns.at(-1)).toHaveLength(50);
  for (let n = 0; n < 20; n++) {
    void read(n);
    await nextTurn();
  }
  const before = turns.length;
  void read(0);
  expect(turns).toHaveLength(before + 1);
});

test("a turn that is refused as a whole rejects each of its reads, and the next turn is asked again", async () => {
  let refusals = 1;
  const turn = new ReadTurn((work) => {
    if (refusals-- > 0) throw new Error("for the test");
    return work(revision);
  }, false);
  const read = () => Promise.allSettled([turn.read(() => 1), turn.read(() => 2, "shared")]);
  expect((await read()).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect((await read()).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});

test("a read under a name is not shared with a turn that has begun", async () => {
  const { turn } = turnOf(false);
  let reads = 0;
  const readShared = () => turn.read(() => ++reads, "shared");
  const filler = Array.from({ length: 62 }, () => turn.read(() => 0));
  // The turn begins with its 64th read, which the rest of the requests must not share.
  const shared = [readShared(), readShared(), turn.read(() => 0), readShared()];
  await Promise.all(filler);
  expect((await Promise.all(shared)).map(({ reply }) => reply)).toEqual([1, 1, 0, 2]);
});

test("a reply says what its turn has learned until then of what it may show", async () => {
  const learned = { mayBeLater: false };
  const turn = new ReadTurn((work) => work(Promise.resolve(revision), learned), false);
  const later = async () => {
    await nextTurn();
    learned.mayBeLater = true;
  };
  const [before, after] = await Promise.all([turn.read(() => Promise.resolve()), turn.read(later)]);
  expect([before?.mayBeLater, after?.mayBeLater]).toEqual([false, true]);
});

test("a revision that cannot be read fails its reads, also where a read has failed before", async () => {
  const turn = new ReadTurn((work) => work(new Promise((_, reject) => setTimeout(reject, 1, "lost"))), false);
  const reads = [turn.read(() => Promise.reject("no row")), turn.read(() => "a reply")];
  const results = await Promise.allSettled(reads);
  expect(results.map((result) => result.status === "rejected" && result.reason)).toEqual(["no row", "lost"]);
});

test("nothing is left unhandled if a turn's only read fails before its revision does", async () => {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const turn = new ReadTurn((work) => work(lost), false);
  const [result] = await Promise.allSettled([turn.read(() => Promise.reject("no row"))]);
  expect(result).toEqual({ status: "rejected", reason: "no row" });
  reject("lost");
  // The runner fails a test during which a rejection stays unhandled.
  await nextTurn();
});
