import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPTIONAL_TEXTS } from "../../contract/animal.ts";
import { EVENTS, type List, ORDERS, PETS } from "../../contract/lists.ts";
import { ALL_OPERATIONS } from "../../contract/operations.ts";
import type { OptionalText, RulesOf } from "../../contract/optional-text.ts";
import { ORDER_TEXTS } from "../../contract/order.ts";
import { runsOf } from "../../judge/faults.ts";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
import { Failure } from "../../src/domain/failure.ts";
import { CATALOGUE } from "../../src/operations/catalogue.ts";
import { getKey } from "../../src/operations/get-key.ts";
import { operation } from "../../src/operations/operation.ts";
import { ORDER } from "../../src/stores/tables.ts";

// What has an entry for each operation or member, and shares no code with the service, has it for those of the service.

const IDS = CATALOGUE.map(({ id }) => id).sort();

test("contract/operations.ts has each operation of the catalogue, with its method, path and scope", () => {
  const own = CATALOGUE.map(({ id, method, path, scope }) => ({ id, method, path, scope }));
  const theirs = ALL_OPERATIONS.map(({ id, method, path, scope }) => ({ id, method, path, scope }));
  expect(theirs).toEqual(own as never);
});

test("contract/animal.ts has each member of an animal", () => {
  const theirs = ["name", "categoryId", "status", ...OPTIONAL_TEXTS.map(([member]) => member)];
  expect(theirs).toEqual(Object.keys(ANIMAL_MEMBERS));
});

test("contract/order.ts has each member of an order", () => {
  const theirs = ["id", "petId", "status", "placedAt", "updatedAt", ...ORDER_TEXTS.map(([member]) => member)];
  expect(theirs).toEqual(ORDER.columns.map(({ member }) => member));
});

test.each([...OPTIONAL_TEXTS, ...ORDER_TEXTS])(
  "contract/: the rule of %s takes its accepted values, and no refused one",
  (_, { isValid, accepted, refused }) => {
    const isTaken = (value: unknown) => typeof value === "string" && isValid(value);
    expect(accepted.filter((value) => !isTaken(value))).toEqual([]);
    expect(refused.filter((text) => isTaken(JSON.parse(text)))).toEqual([]);
    expect({ accepted: accepted.length > 0, refused: refused.length > 0 }).toEqual({
      accepted: true,
      refused: true,
    });
  },
);

test("an operation that returns a failure which it does not list does not compile", () => {
  const unlisted = new Failure("animal_not_found", { id: "7" });
  // @ts-expect-error `failures` lacks it
  const own = operation({ ...getKey, parameters: {}, failures: ["order_not_found"], run: () => unlisted });
  expect(own.failures).not.toContain("animal_not_found");
});

/** Parameters of a list that decide how much of it comes, from where, in which order and with what. */
const NO_FILTERS = ["limit", "cursor", "sort", "from", "include"];
const LISTS: readonly Pick<List<never>, "path" | "filters">[] = [PETS, ORDERS, EVENTS];

test("contract/lists.ts has each parameter that filters a list", () => {
  for (const { id, path, parameters } of CATALOGUE) {
    if (!("cursor" in parameters)) continue;
    const ofQuery = Object.entries(parameters).flatMap(([name, each]) => (each.in === "query" ? [name] : []));
    const filters = ofQuery.filter((name) => !NO_FILTERS.includes(name)).sort();
    const theirs = Object.keys(LISTS.find((list) => list.path === path)?.filters ?? {}).sort();
    expect({ id, filters: theirs }).toEqual({ id, filters });
  }
});

test("contract/: a member without a rule, or that is no text, does not compile", () => {
  const text: OptionalText = { isValid: () => true, accepted: [], refused: [] };
  const right: RulesOf<{ breed?: string }, "breed"> = { breed: text };
  // @ts-expect-error the rule is missing
  const missing: RulesOf<{ breed?: string }, "breed"> = {};
  // @ts-expect-error an integer
  const integer: RulesOf<{ weight?: bigint }, "weight"> = { weight: text };
  expect({ right, missing, integer }).toEqual({
    right: { breed: text },
    missing: {},
    integer: { weight: text },
  } as never);
});

test("contract/operations.ts has one probe for each scope", () => {
  const probed = ALL_OPERATIONS.flatMap(({ scope, probe }) => (probe && scope ? [scope] : []));
  expect(probed.sort()).toEqual([...new Set(CATALOGUE.flatMap(({ scope }) => scope ?? []))].sort());
});

test("judge/faults.ts breaks and puts off a request of each operation", () => {
  for (const { name, faults } of runsOf(ALL_OPERATIONS)) {
    const operations = (faults as { operation: string }[]).map(({ operation }) => operation).sort();
    // No valid key is refused where none needs a scope.
    const expected =
      name === "refusals" ? CATALOGUE.flatMap(({ id, scope }) => (scope ? [id] : [])).sort() : IDS;
    if (operations.length > 0) expect({ name, operations }).toEqual({ name, operations: expected });
  }
});

test("the client has a method for each operation", () => {
  const folder = join(import.meta.dir, "../../client");
  const own = [...new Bun.Glob("*.ts").scanSync(folder)].filter((file) => file !== "contract.ts");
  const text = own.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const used = IDS.filter((id) => new RegExp(`\\((?:this\\.#transport, )?${id}\\b`).test(text));
  expect(used).toEqual(IDS);
});
