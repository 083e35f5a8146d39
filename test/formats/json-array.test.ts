import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UnreadableFile } from "../../src/formats/format.ts";
import { elementsAsLines } from "../../src/formats/json-array.ts";
import { startService } from "../support/service.ts";
import { storePlace } from "../support/store-place.ts";

/** Splits a text that arrives in pieces of so many bytes. */
async function split(text: string | Uint8Array, size = 3): Promise<string> {
  const bytes = Buffer.from(text as string);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const parts: Uint8Array[] = [];
  for await (const part of elementsAsLines(pieces())) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

test("each element of any array is on a line of its own, however it is written and arrives", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.constantFrom(undefined, 1, "\t"),
      fc.integer({ min: 1, max: 50 }),
      async (values, indent, size) => {
        const lines = (await split(JSON.stringify(values, null, indent), size)).split("\n");
        expect(lines.pop()).toBe("");
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
  );
});

test.each([
  ["", "is not a JSON array"],
  ["{}", "is not a JSON array"],
  ['"[]"', "is not a JSON array"],
  ["[", "is incomplete"],
  ['[{"name":"Rex"}', "is incomplete"],
  ['[{"name":"Rex],', "is incomplete"],
  ["[1,]", "a comma after element 1 and no element after it"],
  ["[,1]", "a comma after element 0"],
  ["[1,,2]", "a comma after element 1"],
  ["[1] [2]", "continues after the end of its array"],
  ["[1]x", "continues after the end of its array"],
])("%j is refused, since it is not an array", async (text, problem) => {
  const refused = await split(text).catch((error) => error);
  expect(refused).toBeInstanceOf(UnreadableFile);
  expect(refused.message).toContain(problem);
});

test("a byte order mark and white space around it are passed over", async () => {
  expect(await split("\ufeff \r\n [ 1 ,\n 2 ] \n")).toBe("1 \n2 \n");
  expect(await split(" [ ] ")).toBe("");
});

test("a line end in a string, which JSON does not allow, divides no element", async () => {
  expect(await split('[{"name":"a\nb"}]')).toBe('{"name":"a\tb"}\n');
});

describe("import", () => {
  test("takes what GET /v1/pets returns, exact to the last digit", async () => {
    await using service = await startService();
    await service.create('{"name":"ü🐢 \\"x\\"\\n, ]","categoryId":-9223372036854775808,"status":"sold"}');
    await service.create('{"name":"Rex","categoryId":9223372036854775807}');
    using here = storePlace();
    const pets = await (await service.call("/v1/pets")).text();
    await here.write("pets.json", pets);
    expect((await here.run("import", "pets.json")).stderr).toContain("Imported 2 animals into ");
    expect(`[${(await here.animals()).join(",")}]`).toBe(pets);
  });

  test("reports bad elements by their number, and writes them to a file", async () => {
    using here = storePlace();
    await here.write("pets.json", '[{"name":"Rex","categoryId":1},\n{"name":"Mia"},\n 7]');
    const refused = await here.run("import", "pets.json");
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toStartWith(
      "element 2: `categoryId` is required and must be an integer from -9223372036854775808 to 9223372036854775807\nelement 3: is not a JSON object\n",
    );
    expect((await here.run("import", "pets.json", "--skip-bad", "bad.txt")).exitCode).toBe(0);
    expect(here.read("bad.txt")).toBe(
      '# element 2: `categoryId` is required and must be an integer from -9223372036854775808 to 9223372036854775807\n{"name":"Mia"}\n# element 3: is not a JSON object\n7\n',
    );
    expect(await here.animals()).toHaveLength(1);
  });

  test("of a truncated file imports nothing", async () => {
    using here = storePlace();
    await here.write("pets.json", '[{"name":"Rex","categoryId":1},{"name":"M');
    const { exitCode, stderr } = await here.run("import", "pets.json");
    expect([exitCode, stderr]).toEqual([
      1,
      "animal-store: pets.json ends inside its array, after element 1: it is incomplete.\n",
    ]);
    expect(await here.animals()).toEqual([]);
  });
});
