import { expect, test } from "bun:test";
import type { SQL } from "bun";
import { LastMarks } from "../../src/stores/postgres/standbys/last-marks.ts";
import { RESTORE_MIN_MS, type StandbyMarks } from "../../src/stores/postgres/standbys/marks.ts";

const MARK = { number: 1, token: 0.5 };
const MARKS: StandbyMarks = { store: "a", appends: MARK, rewrites: MARK, isStandby: true, shown: "" };
const connection = () => ({}) as SQL;

test("a packet goes on from the marks of the one before on its connection, while the primary shows no others", async () => {
  const [last, sql] = [new LastMarks(), connection()];
  expect(last.before(sql, 0, 1000)).toBeUndefined();
  last.note(sql, Promise.resolve(MARKS), 1000);
  expect(await last.before(sql, 1000, 1001)).toBe(MARKS);
  expect(last.before(connection(), 1000, 1001)).toBeUndefined();
  expect(last.before(sql, 1000.5, 1001)).toBeUndefined();
});

test("marks that are older than a machine takes to be restored say nothing of the reads that follow", async () => {
  const [last, sql] = [new LastMarks(), connection()];
  last.note(sql, Promise.resolve(MARKS), 1000);
  expect(await last.before(sql, 0, 1000 + RESTORE_MIN_MS)).toBe(MARKS);
  expect(last.before(sql, 0, 1001 + RESTORE_MIN_MS)).toBeUndefined();
});
