import { describe, expect, test } from "bun:test";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { IMPORTED_ID_MAX } from "../../src/domain/transfer.ts";
import { animalChecker } from "../../src/formats/animal-checker.ts";
import { ANIMAL_LAYOUT } from "../../src/formats/animal-row.ts";
import { NdjsonReader } from "../../src/formats/ndjson-reader.ts";
import { readRecords } from "../../src/formats/records.ts";
import { RecordWriter } from "../../src/formats/writer.ts";

async function read(file: string | Uint8Array, piece = 7) {
  const bytes = Buffer.from(file as string);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const animals = [];
  const bad = [];
  for await (const records of readRecords(
    pieces(),
    new NdjsonReader(ANIMAL_LAYOUT.columns, animalChecker("keep")),
  )) {
    animals.push(...records.items);
    for (const { line, problem, raw } of records.bad) bad.push([line, problem, Buffer.from(raw).toString()]);
  }
  return { animals, bad };
}

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

test("one object a line, however it is written and cut", async () => {
  const file =
    '\ufeff{"name":"Rex","categoryId":1}\r\n\n  { "categoryId" : 1e0, "name":"\\u0052ex" } \n{"status":"sold","categoryId":1.0,"name":"Rex"}';
  for (const piece of [1, 3, 1000]) {
    expect(await read(file, piece)).toEqual({ animals: [rex, rex, { ...rex, status: "sold" }], bad: [] });
  }
});

test("an empty file contains no animals", async () => {
  for (const file of ["", "\n\n", "\ufeff"]) expect(await read(file)).toEqual({ animals: [], bad: [] });
});

test("what is written is read again, to the last digit", async () => {
  const animals = ['"a, \\ \n\u2028', "ü🐢", "\u007f"].map((name, index) => ({
    ...rex,
    id: IMPORTED_ID_MAX - 3n + BigInt(index),
    name,
    categoryId: index === 1 ? INT64_MIN : INT64_MAX,
  }));
  expect(await read(new RecordWriter(ANIMAL_LAYOUT, "ndjson").write(animals))).toEqual({ animals, bad: [] });
});

describe("a bad line is reported with its number and what would be right, and the other lines are read:", () => {
  const INTEGER = `must be an integer from ${INT64_MIN} to ${INT64_MAX}`;
  const wrong: [name: string, line: string | Uint8Array, problem: string][] = [
    ["no JSON", "Rex,1", "is not valid JSON: a value was expected (character 1)"],
    [
      "cut off",
      '{"name":"Rex"',
      "is not valid JSON: a comma or `}` was expected before the line ended (character 14)",
    ],
    [
      "two values",
      `${'{"name":"Rex","categoryId":1}'.repeat(2)}`,
      "is not valid JSON: the end of the line was expected",
    ],
    ["an array", "[1]", "is not a JSON object"],
    [
      "a member twice",
      '{"name":"Rex","name":"Mia","categoryId":1}',
      "has two members named `name` in one object",
    ],
    [
      "a member that there is not",
      '{"name":"Rex","categoryId":1,"satus":"sold"}',
      'has the member "satus"; the members are id, name, categoryId, status',
    ],
    [
      "no name, a wrong category",
      '{"categoryId":1.5}',
      `\`name\` is required and must be a string of 1 to 255 characters that is not only white space; \`categoryId\` ${INTEGER}`,
    ],
    ["past int64", '{"name":"Rex","categoryId":9223372036854775808}', `\`categoryId\` ${INTEGER}`],
    [
      "null for a status",
      '{"name":"Rex","categoryId":1,"status":null}',
      "`status` must be one of `available`, `pending`, `sold`",
    ],
    [
      "null for an id",
      '{"id":null,"name":"Rex","categoryId":1}',
      `\`id\` must be an integer from 1 to ${IMPORTED_ID_MAX}`,
    ],
    [
      "an id where others have none",
      '{"id":1,"name":"Rex","categoryId":1}',
      "`id` must be left out, since the earlier rows have none",
    ],
    ["half a pair", '{"name":"\\ud83d","categoryId":1}', "`name` must not contain an unpaired surrogate"],
  ];
  test.each(wrong)("%s", async (_, line, problem) => {
    const good = '{"name":"Rex","categoryId":1}';
    const { animals, bad } = await read(`${good}\n${line}\n${good}\n`);
    expect(animals).toEqual([rex, rex]);
    expect(bad).toEqual([[2, expect.stringContaining(problem), `${line}\n`]]);
  });

  test("Latin-1", async () => {
    const file = Buffer.from(
      '{"name":"Rex","categoryId":1}\n{"name":"R\xe9x","categoryId":1}\n{"name":"Rex","categoryId":1}',
      "latin1",
    );
    const { animals, bad } = await read(file);
    expect(animals).toEqual([rex, rex]);
    expect(bad).toEqual([[2, "is not UTF-8", expect.any(String)]]);
  });
});
