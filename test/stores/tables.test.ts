import { expect, test } from "bun:test";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
import { int64, table, text } from "../../src/stores/table.ts";
import { ANIMAL, EVENT_ORDER } from "../../src/stores/tables.ts";

test("the stores keep the members of an animal in the order of files, by which stored events are read", () => {
  const members = Object.entries(ANIMAL_MEMBERS).map(([member, { type }]) => [
    member,
    type === "integer" ? "bigint" : type,
  ]);
  const stored = ANIMAL.columns.map(({ member, type }) => [member, type]);
  expect(stored).toEqual([["id", "bigint"], ...members]);
});

test("a member that an item may lack is not null where its column is empty", () => {
  const items = table<{ readonly name: string; readonly breed?: string | undefined }>({
    name: text("name"),
    breed: { ...text("breed"), isOptional: true },
  });
  const rows = [
    { name: "Rex", breed: null },
    { name: "Mia", breed: "Siamese" },
  ];
  const expected = [{ name: "Rex" }, { name: "Mia", breed: "Siamese" }];
  expect(JSON.parse(JSON.stringify(items.parseAll(rows)))).toEqual(expected);
});

test("stored events are read by the order of an order's members, to which new ones are added at the end", () => {
  const members = EVENT_ORDER.map(({ member, type }) => [member, type]);
  expect(members.slice(0, 4)).toEqual([
    ["id", "bigint"],
    ["petId", "bigint"],
    ["status", "text"],
    ["placedAt", "bigint"],
  ]);
});

test("a column of another type than its member does not compile", () => {
  // @ts-expect-error the member is an integer
  const texts = table<{ weight: bigint }>({ weight: text("weight") });
  // @ts-expect-error the member is a text
  const integers = table<{ breed: string }>({ breed: int64("breed") });
  expect([texts, integers].map(({ columns }) => columns.length)).toEqual([1, 1]);
});
