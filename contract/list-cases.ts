import { type Animal, aDifferentAnimal, isSame, STATUSES, show } from "./animal.ts";
import { askForCopies, badCursors, badQueries, badValues } from "./bad-requests.ts";
import { assert } from "./contract-violation.ts";
import { tryFilters } from "./filters.ts";
import { fitsAll, PETS } from "./lists.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, pageOf, pagesFrom } from "./page.ts";
import type { ContractSession, Group } from "./session.ts";

/** The limit of short pages, and how many of them are compared with one long page. */
const SHORT = 7;
const SHORT_PAGES = 6;
/** The queries whose pages must have every animal that was added and fits. */
const FOLLOWED = [
  // All animals, and those of each status.
  "",
  ...STATUSES.map((status) => `status=${status}`),
];

export const lists: Group = {
  name: "list",
  promise: "Lists: in order of id, filtered, no longer than asked for; the links visit each animal once.",
  needs: ["pets:read"],
  cases: {
    "a page has at most as many animals as asked for, and only those that fit the filter": askForPages,
    "the links lead past every animal, as it is": followLinks,
    "a walk from the newest visits each animal once, too": followFromTheNewest,
    "short pages have the same animals as a long one": followShortPages,
    "a copy that is still current is not sent again": (session) => askForCopies(session, "/pets?limit=3"),
    "an invalid parameter is refused by name": refuseQueries,
    "a cursor works only with the filter that it was issued for": bindCursors,
  },
};

async function askForPages(session: ContractSession): Promise<void> {
  for (const limit of [1, 2, LIMIT_MAX]) await pageOf(session, PETS, `limit=${limit}`);
  for (const status of STATUSES) await pageOf(session, PETS, `status=${status}`);
  const whole = await pageOf(session, PETS, `limit=${LIMIT_DEFAULT}`);
  const plain = await pageOf(session, PETS, "");
  const expected = `${LIMIT_DEFAULT} animals where no limit is given: ${idsOf(whole.items)}`;
  assert(idsOf(plain.items) === idsOf(whole.items), expected, idsOf(plain.items));
  const ignored = "page=2&page=3&Limit=0&%6cimit=2&constructor=1&=&&";
  const { items } = await pageOf(session, PETS, ignored);
  assert(items.length <= 2, "a limit that is written with escapes", `${items.length} animals`);
}

/** Reads the whole list, and looks for the animals that were added before. */
async function followLinks(session: ContractSession): Promise<void> {
  for (const filters of FOLLOWED) {
    const seen = new Map<bigint, Animal>();
    let last: bigint | undefined;
    for await (const { items, next } of pagesFrom(session, PETS, `limit=${LIMIT_MAX}&${filters}`)) {
      for (const animal of items) seen.set(animal.id, animal);
      // Where the list goes on, the animals behind the last page read are not missing.
      last = next && items.at(-1)?.id;
    }
    for (const animal of session.animals) {
      if (last === undefined || animal.id <= last) assertListed(animal, seen.get(animal.id), filters);
    }
  }
}

/** Reads the newest animals, and looks for those that were added before. */
async function followFromTheNewest(session: ContractSession): Promise<void> {
  for (const filters of FOLLOWED) {
    const seen: Animal[] = [];
    let goesOn = false;
    const query = `limit=${SHORT}&sort=-id&${filters}`;
    for await (const { items, next } of pagesFrom(session, PETS, query, SHORT_PAGES)) {
      seen.push(...items);
      goesOn = next !== undefined;
    }
    const last = goesOn ? (seen.at(-1)?.id ?? 0n) : 0n;
    for (const animal of session.animals) {
      const found = seen.find(({ id }) => id === animal.id);
      if (animal.id >= last) assertListed(animal, found, filters);
    }
  }
}

/** Asserts that a list has an animal as it is, if it fits the filters. */
function assertListed(animal: Animal, found: Animal | undefined, filters: string): void {
  if (!fitsAll(PETS, animal, Object.fromEntries(new URLSearchParams(filters)))) return;
  assert(
    found !== undefined && isSame(found, animal),
    `animal ${animal.id}, ${show(animal)}, in the list ${filters}`,
    found ? show(found) : "a list without it",
  );
}

/** Short pages must have the same animals as a long one. */
async function followShortPages(session: ContractSession): Promise<void> {
  const { items } = await pageOf(session, PETS, `limit=${SHORT * SHORT_PAGES}`);
  const seen: Animal[] = [];
  for await (const page of pagesFrom(session, PETS, `limit=${SHORT}`, SHORT_PAGES)) seen.push(...page.items);
  const expected = `the animals ${idsOf(items)} in pages of ${SHORT}`;
  assert(idsOf(seen) === idsOf(items), expected, idsOf(seen));
}

async function refuseQueries(session: ContractSession): Promise<void> {
  const limits = [
    ...["0", "101", "1000", "-1", "%2B5", "05", "5.0", "1e1", "0x5", "abc", "", "%205", "5%20", "5,6"],
    ...["%EF%BC%95", "9".repeat(400)],
  ];
  const statuses = ["Available", "SOLD", "lost", "", "available,sold", "available%20", "null", "constructor"];
  await session.askAll([
    badValues("/pets", "limit", [...limits, "5&limit=5", "5&lim%69t=5"]),
    badQueries("/pets", "limit", ["limit"]),
    badValues("/pets", "status", [...statuses, "sold&status=sold", "sold&status=pending"]),
    badValues("/pets", "sort", ["ID", "-ID", "", "name", "%2Bid", "id,-id", "--id", "-id&sort=-id"]),
  ]);
  const { next, items } = await pageOf(session, PETS, "limit=1");
  const issued = next?.get("cursor") ?? "";
  const refused = badCursors(issued);
  await session.askAll([badValues("/pets", "cursor", refused)]);
  // A stock of at most one animal has no second page.
  if (issued === "") return;
  const elsewhere = [
    `${issued}&status=sold`,
    `${issued}&sort=-id`,
    `${issued}&cursor=${issued}`,
    `${issued}%00`,
  ].map((cursor) => `cursor=${cursor}`);
  await session.askAll([badQueries("/pets", "cursor", elsewhere)]);
  const { items: rest } = await pageOf(session, PETS, `limit=5&cursor=${issued}`, items[0]?.id);
  assert(rest.length > 0, "a cursor that goes with another limit", "no animals");
}

/** Tries the cursors of filters on animals of its own, which a key that only reads cannot add. */
async function bindCursors(session: ContractSession): Promise<void> {
  if (!session.access.held.has("pets:write")) return;
  const twins = [await session.add("twin"), await session.add("twin")];
  const other = aDifferentAnimal(session.name("no twin"));
  const animals = [...twins, await session.create({ body: show(other) }, other)];
  await tryFilters(session, PETS, animals);
}

function idsOf(animals: readonly Animal[]): string {
  return animals.map(({ id }) => id).join(", ");
}
