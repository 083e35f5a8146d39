import { expect, test } from "bun:test";
import fc from "fast-check";
import { ANIMAL_MEMBERS, type Animal, STATUSES } from "../../src/domain/animal.ts";
import { nameProblem } from "../../src/domain/animal-schemas.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { animalChecker } from "../../src/formats/animal-checker.ts";
import { ANIMAL_LAYOUT } from "../../src/formats/animal-row.ts";
import { CsvReader } from "../../src/formats/csv-reader.ts";
import { readRecords } from "../../src/formats/records.ts";
import { RecordWriter } from "../../src/formats/writer.ts";
import { readAnimalFile } from "../../web/console/files/animal-file.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text).buffer;

test("the console reads each file that the export command writes, to the last digit", () => {
  const animal = fc.record({
    id: fc.bigInt({ min: 1n, max: INT64_MAX }),
    name: fc
      .string({ unit: fc.constantFrom("a", " ", ",", '"', "\r", "\n", "é", "🦜") })
      .filter((name) => nameProblem(name) === undefined),
    categoryId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    status: fc.constantFrom(...STATUSES),
  });
  fc.assert(
    fc.property(fc.array(animal), (animals) => {
      const writer = new RecordWriter(ANIMAL_LAYOUT, "csv");
      const { rows } = readAnimalFile(bytesOf(writer.begin() + writer.write(animals)));
      expect(rows.map(({ body }) => body)).toEqual(
        animals.map(
          ({ name, categoryId, status }) =>
            `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
        ),
      );
    }),
  );
});

test("a row of an export holds each member once, in the order of the columns", () => {
  const members = Object.entries(ANIMAL_MEMBERS).map(([name, { type, values }]) => [
    name,
    type === "integer" ? 12n : (values?.[0] ?? "Rex"),
  ]);
  const animal = { id: 1n, ...Object.fromEntries(members) } as Animal;
  const names = ANIMAL_LAYOUT.columns.map(({ name }) => name);
  const values = Object.fromEntries(Object.entries(animal).map(([name, value]) => [name, String(value)]));
  expect(Object.keys(JSON.parse(ANIMAL_LAYOUT.toJson(animal)))).toEqual(names);
  expect(ANIMAL_LAYOUT.toCsv(animal)).toBe(names.map((name) => values[name]).join(","));
});

/** How many rows of a file the import command takes, and what it says of the others. */
async function readByCommand(file: string) {
  const reader = new CsvReader(ANIMAL_LAYOUT.columns, animalChecker("new"));
  async function* pieces() {
    yield Buffer.from(file);
  }
  const bad: { line: number; problem: string }[] = [];
  let good = 0;
  for await (const records of readRecords(pieces(), reader)) {
    good += records.items.length;
    bad.push(...records.bad.map(({ line, problem }) => ({ line, problem })));
  }
  return { good, bad };
}

test("the console and the import command find the same rows of a damaged file, with the same words", async () => {
  const file =
    '\ufeffstatus,name,categoryId\r\n\nsold,Rex,1\n,"a ""b""\nc",2\nsold,Rex\nsold,a"b,1\nsold,"a"b,1\nsold,a\rb,1\nsold,"open,1\n';
  const { good, bad } = await readByCommand(file);
  const { rows } = readAnimalFile(bytesOf(file));
  expect(bad.length).toBe(5);
  expect(rows.filter(({ fault }) => fault).map(({ line, fault }) => ({ line, problem: fault }))).toEqual(bad);
  expect(rows.filter(({ fault }) => !fault).length).toBe(good);
});

test.each([
  ["", "The file is empty"],
  ["name,colour\n", 'names the column "colour"'],
  ["name,name,categoryId\n", "names the column name twice"],
  ["name\nRex\n", "does not name the column categoryId"],
  ['"name\n', "opens a quote and never closes it"],
  ["name;categoryId\nRex;1\n", "separated by semicolons"],
  ["name\tcategoryId\nRex\t1\n", "separated by tabs"],
  ["PK\u0003\u0004rest", "a spreadsheet"],
])("a file that the console cannot read says why: %j", (text, words) => {
  expect(() => readAnimalFile(bytesOf(text))).toThrow(words);
});

test("a file in another encoding is not read with wrong letters", () => {
  expect(() => readAnimalFile(Uint8Array.from([0x6e, 0xe9, 0x0a]).buffer)).toThrow("not UTF-8");
});

test("the console refuses no row that the service takes", async () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", " ", "\u00a0", "🦜", "-", "1", "0", ".", "e"), maxLength: 6 }),
    fc.constantFrom("a".repeat(255), "🦜".repeat(255), "🦜".repeat(256), "sold"),
    fc.constantFrom(
      `${INT64_MAX}`,
      `${INT64_MAX + 1n}`,
      `${INT64_MIN}`,
      `${INT64_MIN - 1n}`,
      "1e3",
      "1.0",
      "-0",
    ),
  );
  await fc.assert(
    fc.asyncProperty(text, text, text, async (name, categoryId, status) => {
      const file = `name,categoryId,status\n${name},${categoryId},${status}\n`;
      const [row] = readAnimalFile(bytesOf(file)).rows;
      const { good } = await readByCommand(file);
      if (good === 1) expect(row).toMatchObject({ fault: "" });
    }),
  );
});

test.each([
  [",1,", "`name` is empty"],
  ["\u00a0,1,", "`name` is only white space"],
  [`${"🦜".repeat(256)},1,`, "`name` has 256 characters, and may have 255"],
  ["Rex,,", "`categoryId` is empty"],
  ["Rex,seven,", "`categoryId` is “seven”, which is no whole number"],
  [`Rex,${INT64_MAX + 1n},`, `\`categoryId\` is outside of ${INT64_MIN} to ${INT64_MAX}`],
  ["Rex,1,lost", "`status` is “lost”, and may be available, pending or sold"],
  [",x,", "`name` is empty; `categoryId` is “x”, which is no whole number"],
])("the console says of a row before it is sent what is wrong: %j", (row, fault) => {
  const { rows } = readAnimalFile(bytesOf(`name,categoryId,status\n${row}\n`));
  expect(rows).toMatchObject([{ fault, body: undefined }]);
});
