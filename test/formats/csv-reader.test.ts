import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ANIMAL_MEMBERS, STATUSES } from "../../src/domain/animal.ts";
import { newAnimalSchema } from "../../src/domain/animal-schemas.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import type { IncomingAnimal } from "../../src/domain/transfer.ts";
import { IMPORTED_ID_MAX } from "../../src/domain/transfer.ts";
import { animalChecker } from "../../src/formats/animal-checker.ts";
import { ANIMAL_LAYOUT } from "../../src/formats/animal-row.ts";
import { CsvReader } from "../../src/formats/csv-reader.ts";
import { UnreadableFile } from "../../src/formats/format.ts";
import { RECORD_MAX_BYTES, readRecords } from "../../src/formats/records.ts";
import { RecordWriter } from "../../src/formats/writer.ts";

const COLUMNS = ["id", ...Object.keys(ANIMAL_MEMBERS)].join(", ");

interface Outcome {
  readonly animals: IncomingAnimal[];
  readonly bad: { line: number; problem: string; raw: string }[];
}

/** Reads a file that arrives in pieces of some bytes. */
async function read(file: string | Uint8Array, piece = 7): Promise<Outcome> {
  const bytes = Buffer.from(file as string);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const outcome: Outcome = { animals: [], bad: [] };
  for await (const { items, bad } of readRecords(
    pieces(),
    new CsvReader(ANIMAL_LAYOUT.columns, animalChecker("keep")),
  )) {
    outcome.animals.push(...items);
    for (const record of bad)
      outcome.bad.push({ ...record, raw: Buffer.from(record.raw).toString("latin1") });
  }
  return outcome;
}

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

describe("a row that is read:", () => {
  const right: [name: string, file: string, animals: IncomingAnimal[]][] = [
    ["lines that end with LF", "name,categoryId\nRex,1\n", [rex]],
    ["lines that end with CRLF", "name,categoryId\r\nRex,1\r\n", [rex]],
    ["no line end in the end", "name,categoryId\r\nRex,1", [rex]],
    ["a byte order mark", "\ufeffname,categoryId\nRex,1\n", [rex]],
    ["columns in any order", "status,categoryId,name\nsold,1,Rex\n", [{ ...rex, status: "sold" }]],
    ["an empty status for none", "name,status,categoryId\nRex,,1\n", [rex]],
    ["ids", "id,name,categoryId\n7,Rex,1\n", [{ id: 7n, ...rex }]],
    ["quotes", '"name","categoryId"\n"Rex","1"\n', [rex]],
    [
      "a comma, quotes and line ends in quotes",
      'name,categoryId\n"a,""b""\r\nc\n",1\n',
      [{ ...rex, name: 'a,"b"\r\nc\n' }],
    ],
    ["quotes alone", 'name,categoryId\n"""",1\n', [{ ...rex, name: '"' }]],
    ["empty lines between", "name,categoryId\n\nRex,1\n\r\n\n", [rex]],
    ["spaces as they are", "name,categoryId\n Rex ,1\n", [{ ...rex, name: " Rex " }]],
    ["numbers as JSON has them", "name,categoryId\nRex,1.0\nRex,10e-1\nRex,0.1e1\n", [rex, rex, rex]],
    [
      "the greatest and the least",
      `name,categoryId\nRex,${INT64_MAX}\nRex,${INT64_MIN}\n`,
      [
        { ...rex, categoryId: INT64_MAX },
        { ...rex, categoryId: INT64_MIN },
      ],
    ],
    ["a header alone", "name,categoryId\n", []],
  ];
  test.each(right)("%s", async (_, file, animals) => {
    for (const piece of [1, 2, 3, 1000]) expect(await read(file, piece)).toEqual({ animals, bad: [] });
  });
});

describe("a file that cannot be read says why:", () => {
  const wrong: [name: string, file: string | Uint8Array, problem: string][] = [
    ["empty", "", "is empty; its first line must name the columns, for example name,categoryId,status"],
    ["blank", "\n\r\n", "is empty; its first line must name the columns"],
    ["a mark alone", "\ufeff", "is empty"],
    [
      "lines that end with CR alone",
      "name,categoryId\rRex,1\r",
      "does not name its columns, since its first line has a carriage return outside quotes",
    ],
    [
      "a header with an open quote",
      '"name,categoryId\nRex,1\n',
      "does not name its columns, since its first line opens a quote and never closes it",
    ],
    [
      "semicolons",
      "name;categoryId\nRex;1\n",
      `names the column "name;categoryId" in its first line; the columns are ${COLUMNS}, in any order`,
    ],
    ["another column", "name,categoryId,age\n", 'names the column "age"'],
    ["another spelling", "name,category_id\n", 'names the column "category_id"'],
    ["no header", "Rex,1\n", 'names the column "Rex"'],
    ["a column twice", "name,categoryId,name\n", "names the column name twice in its first line"],
    ["no name", "id,categoryId\n", "does not name the column name in its first line"],
    ["no category", "name\n", "does not name the column categoryId in its first line"],
    [
      "Latin-1 in the header",
      Buffer.from("n\xe4me,categoryId\n", "latin1"),
      "is not UTF-8 in its first line",
    ],
    ["a line without end", "x".repeat(17 * 2 ** 20), "has a line of more than 16777216 bytes"],
  ];
  test.each(wrong)("%s", async (_, file, problem) => {
    const reading = read(file, 1 << 20);
    await expect(reading).rejects.toBeInstanceOf(UnreadableFile);
    await expect(reading).rejects.toThrow(problem);
  });
});

describe("a bad row is reported with its line and what would be right, and the other rows are read:", () => {
  const NAME = "`name` must be a string of 1 to 255 characters that is not only white space";
  const INTEGER = `must be an integer from ${INT64_MIN} to ${INT64_MAX}`;
  const wrong: [name: string, row: string | Uint8Array, problem: string][] = [
    ["an empty name", ",1", NAME],
    ["a name of white space", '" \u3000\n",1', NAME],
    ["a name of 256 characters", `${"🐢".repeat(256)},1`, NAME],
    ["a name of a million characters", `${"x".repeat(1_000_000)},1`, NAME],
    ["U+0000", "a\0b,1", "`name` must not contain the character U+0000"],
    ["no category", "Rex,", `\`categoryId\` is required and ${INTEGER}`],
    ["past int64", "Rex,9223372036854775808", `\`categoryId\` ${INTEGER}`],
    ["a fraction", "Rex,1.5", `\`categoryId\` ${INTEGER}`],
    ["a word", "Rex,one", `\`categoryId\` ${INTEGER}`],
    ["a leading zero", "Rex,01", `\`categoryId\` ${INTEGER}`],
    ["a plus sign", "Rex,+1", `\`categoryId\` ${INTEGER}`],
    ["a space before the number", "Rex, 1", `\`categoryId\` ${INTEGER}`],
    ["a field too many", "Rex,1,2", "has 3 fields, but the first line names 2 columns"],
    ["a field too few", "Rex", "has 1 field, but the first line names 2 columns"],
    ["a stray quote", 'Rex "the dog",1', "has a quote in an unquoted field"],
    [
      "a quote that was not doubled",
      '"Rex "the dog"",1',
      "has something other than a comma after a closing quote",
    ],
    ["a space after a closing quote", '"Rex" ,1', "has something other than a comma after a closing quote"],
    ["a carriage return", "Rex\rMia,1", "has a carriage return outside quotes"],
    ["Latin-1", Buffer.from("R\xe9x,1", "latin1"), "is not UTF-8"],
    ["a surrogate in UTF-8", Buffer.from([0xed, 0xa0, 0x80, 0x2c, 0x31]), "is not UTF-8"],
  ];
  test.each(wrong)("%s", async (_, row, problem) => {
    const lines = [
      Buffer.from('name,categoryId\n"a\r\nb",2\n'),
      Buffer.from(row as string),
      Buffer.from("\nRex,1\n"),
    ];
    const { animals, bad } = await read(Buffer.concat(lines), 100_000);
    expect(animals).toEqual([{ ...rex, name: "a\r\nb", categoryId: 2n }, rex]);
    const raw = `${Buffer.from(row as string).toString("latin1")}\n`;
    expect(bad).toEqual([{ line: 4, problem: expect.stringContaining(problem), raw }]);
  });

  test("a quote that is never closed costs its own line alone", async () => {
    const { animals, bad } = await read('name,categoryId\n"Rex,1\nRex,1\nRex,1', 5);
    expect(animals).toEqual([rex, rex]);
    expect(bad).toEqual([{ line: 2, problem: "opens a quote and never closes it", raw: '"Rex,1\n' }]);
  });

  test("the records after such a quote arrive in groups of bounded size, however many its block has", async () => {
    const line = Buffer.from(`${"x".repeat(200)},1\n`);
    const count = Math.ceil((2 * RECORD_MAX_BYTES) / line.length);
    async function* pieces() {
      yield Buffer.from('name,categoryId\n"Rex,1\n');
      for (let n = 0; n < count; n += 1000) yield Buffer.concat(Array<Buffer>(1000).fill(line));
    }
    const groups = [];
    const reader = new CsvReader(ANIMAL_LAYOUT.columns, animalChecker("keep"));
    for await (const { items, bad } of readRecords(pieces(), reader)) groups.push(items.length + bad.length);
    expect(Math.max(...groups)).toBe(10_000);
    expect(groups.reduce((sum, size) => sum + size)).toBe(1 + Math.ceil(count / 1000) * 1000);
  });

  test("such a quote is reported once its record has too many bytes, whatever the script of its text", async () => {
    const piece = Buffer.from(`${"猫".repeat(300)},1\n`.repeat(1000));
    let bytes = 0;
    async function* pieces() {
      yield Buffer.from('name,categoryId\n"Rex,1\n');
      for (; bytes < 4 * RECORD_MAX_BYTES; bytes += piece.length) yield piece;
    }
    const reader = new CsvReader(ANIMAL_LAYOUT.columns, animalChecker("keep"));
    for await (const { bad } of readRecords(pieces(), reader)) if (bad.length > 0) break;
    expect(bytes).toBeLessThan(RECORD_MAX_BYTES + 2 * piece.length);
  });

  test("an unknown status", async () => {
    const { bad } = await read("status,name,categoryId\nSold,Rex,1\n");
    expect(bad[0]?.problem).toBe("`status` must be one of `available`, `pending`, `sold`");
  });

  test("ids must ascend and be positive, and either every row has one or none", async () => {
    const { animals, bad } = await read("id,name,categoryId\n5,Rex,1\n5,Rex,1\n0,Rex,1\n,Rex,1\n6,Rex,1\n");
    expect(animals.map(({ id }) => id)).toEqual([5n, 6n]);
    expect(bad.map(({ problem }) => problem)).toEqual([
      "`id` must be above 5, the id of an earlier row",
      `\`id\` must be an integer from 1 to ${IMPORTED_ID_MAX}`,
      `\`id\` must be an integer from 1 to ${IMPORTED_ID_MAX}`,
    ]);
  });
});

describe("for any animals", () => {
  const animal = fc.record({
    name: fc
      .string({ unit: fc.constantFrom(..."ab,\"\r\n ü🐢\ufeff'"), maxLength: 12 })
      .filter((name) => newAnimalSchema.shape.name.safeParse(name).success),
    categoryId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    status: fc.constantFrom(...STATUSES),
  });

  test("written animals are read again, however the file is divided", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(animal, { maxLength: 8 }),
        fc.integer({ min: 1, max: 60 }),
        async (some, piece) => {
          const animals = some.map((one, index) => ({ id: BigInt(index + 1), ...one }));
          const writer = new RecordWriter(ANIMAL_LAYOUT, "csv");
          const file = writer.begin() + writer.write(animals);
          expect(await read(file, piece)).toEqual({ animals, bad: [] });
        },
      ),
    );
  });

  test("any bytes are read or refused, each line once", async () => {
    const bytes = fc.array(fc.constantFrom(0x22, 0x2c, 0x0a, 0x0d, 0x61, 0x31, 0xe9, 0x00), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 20 }), async (some, piece) => {
        const body = Buffer.from(some);
        const whole = Buffer.concat([Buffer.from("name,categoryId\n"), body]);
        const { animals, bad } = await read(whole, piece);
        // However it is cut, it comes to the same.
        expect(await read(whole, 10_000)).toEqual({ animals, bad });
        for (const { raw } of bad) expect(body.toString("latin1")).toContain(raw.replace(/\n$/, ""));
      }),
    );
  });
});

test("the fast check of a row agrees with the rules of the interface", () => {
  const row = fc.record(
    {
      name: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.string({
          unit: fc.constantFrom(..."a \0\u0085\u00a0\u1680\u2003\u2028\u3000é小", "\ud83d", "🐢"),
          maxLength: 3,
        }),
        fc.string({ unit: fc.constantFrom("é", "🐢"), minLength: 250, maxLength: 258 }),
        fc.string({ minLength: 250, maxLength: 258 }),
        fc.constant(1n),
      ),
      categoryId: fc.oneof(
        fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
        fc.constant("x"),
        fc.constant(null),
      ),
      status: fc.oneof(fc.constantFrom(...STATUSES), fc.constantFrom("Sold", null, 1n)),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(row, (row) => {
      const outcome = animalChecker("keep")(row);
      const checked = newAnimalSchema.safeParse(row);
      if (checked.success) expect(outcome).toEqual(checked.data);
      else expect(typeof outcome).toBe("string");
    }),
    { numRuns: 2000 },
  );
});
