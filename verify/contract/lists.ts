import { type Animal, isSame, STATUSES, show } from "../animal.ts";
import { assert } from "../contract-violation.ts";
import { LIMIT_DEFAULT, type Page, PETS, pageOf } from "./page.ts";
import type { ContractSession, Group } from "./session.ts";

const LIMIT_MAX = 100;
/** A larger stock is not read to its end. */
const PAGES_MAX = 50;
const SHORT = 7;
const SHORT_PAGES = 6;

export const lists: Group = {
  name: "list",
  promise: "Lists: in order of id, filtered, no longer than asked for; the links visit each animal once.",
  needs: ["pets:read"],
  async run(session) {
    await askForPages(session);
    await followLinks(session);
    await followShortPages(session);
    await askForCopies(session);
    await refuseParameters(session);
    await refuseCursors(session);
  },
};

async function askForPages(session: ContractSession): Promise<void> {
  for (const limit of [1, 2, LIMIT_DEFAULT, LIMIT_MAX]) await pageOf(session, PETS, `?limit=${limit}`);
  for (const status of STATUSES) await pageOf(session, PETS, `?status=${status}`);
  const whole = await pageOf(session, PETS, `?limit=${LIMIT_DEFAULT}`);
  const plain = await pageOf(session, PETS, "");
  const ids = (page: Page<Animal>) => page.items.map(({ id }) => id).join();
  assert(
    ids(plain) === ids(whole),
    `${LIMIT_DEFAULT} animals where no limit is given`,
    `${plain.items.length}`,
  );
  const ignored = await pageOf(session, PETS, `?page=2&page=3&Limit=0&%6cimit=2&constructor=1&=&&`);
  assert(
    ignored.items.length <= 2,
    "a limit that is written with escapes",
    `${ignored.items.length} animals`,
  );
}

/** Reads the whole list, and looks for the animals that were added before. */
async function followLinks(session: ContractSession): Promise<void> {
  for (const filter of [undefined, "sold"] as const) {
    const status = filter === undefined ? "" : `&status=${filter}`;
    let query: string | undefined = `?limit=${LIMIT_MAX}${status}`;
    const seen = new Map<bigint, Animal>();
    let last = 0n;
    for (let pages = 0; query !== undefined && pages < PAGES_MAX; pages++) {
      const { items: animals, next }: Page<Animal> = await pageOf(session, PETS, query);
      for (const animal of animals) {
        assert(
          animal.id > last,
          `animals after ${last}`,
          `${animal.id} once more`,
          `${session.client.base}/pets${query}`,
        );
        last = animal.id;
        seen.set(animal.id, animal);
      }
      assert(!next || next.get("limit") === `${LIMIT_MAX}`, "a link that keeps the limit", `${next}`);
      assert(!next || next.get("status") === (filter ?? null), "a link that keeps the filter", `${next}`);
      query = next && `?${next}`;
    }
    for (const animal of session.animals) {
      // Animals after the last page read, and animals that the filter excludes, are not missing.
      if ((query !== undefined && animal.id > last) || (filter && animal.status !== filter)) continue;
      const found = seen.get(animal.id);
      assert(
        found !== undefined && isSame(found, animal),
        `animal ${animal.id}, ${show(animal)}, in the list`,
        found ? show(found) : "a list without it",
      );
    }
  }
}

/** Short pages must have the same animals as a long one. */
async function followShortPages(session: ContractSession): Promise<void> {
  const { items: together } = await pageOf(session, PETS, `?limit=${SHORT * SHORT_PAGES}`);
  const seen: bigint[] = [];
  let query: string | undefined = `?limit=${SHORT}`;
  for (let pages = 0; query !== undefined && pages < SHORT_PAGES; pages++) {
    const { items: animals, next }: Page<Animal> = await pageOf(session, PETS, query);
    seen.push(...animals.map(({ id }) => id));
    query = next && `?${next}`;
  }
  const expected = together.map(({ id }) => id).join(", ");
  assert(seen.join(", ") === expected, `the animals ${expected} in pages of ${SHORT}`, seen.join(", "));
}

async function askForCopies(session: ContractSession): Promise<void> {
  const path = "/pets?limit=3";
  const first = await session.ask({ path }, { status: 200 });
  const tag = first.headers.get("etag") ?? "";
  for (const given of [tag, `"other", ${tag}`, `W/${tag}`, "*"])
    await session.ask({ path, headers: { "If-None-Match": given } }, { status: 304 });
  await session.ask({ path, headers: { "If-None-Match": '"other"' } }, { status: 200 });
  const head = await session.ask({ path, method: "HEAD" }, { status: 200 });
  for (const name of ["etag", "link", "content-type"]) {
    const [asked, got] = [head.headers.get(name), first.headers.get(name)];
    assert(
      asked === got,
      `HEAD with the ${name} of GET, ${got}`,
      `${asked}`,
      session.client.curl({ path, method: "HEAD" }),
    );
  }
}

async function refuseParameters(session: ContractSession): Promise<void> {
  const limits = ["0", "101", "-1", "%2B5", "05", "5.0", "1e1", "abc", "", "%205", "9".repeat(400)];
  const asked = limits.map((limit) => `limit=${limit}`);
  await session.refuseQueries("/pets", "limit", [...asked, "limit=5&limit=5", "limit=5&lim%69t=5"]);
  const statuses = ["Available", "lost", "", "available,sold", "sold&status=sold"];
  await session.refuseQueries(
    "/pets",
    "status",
    statuses.map((status) => `status=${status}`),
  );
  for (const broken of ["%", "%zz", "%ff", "%ed%a0%80"])
    await session.ask({ path: `/pets?x=${broken}` }, { status: 400, code: "malformed_escape" });
}

async function refuseCursors(session: ContractSession): Promise<void> {
  const { next, items: animals } = await pageOf(session, PETS, "?limit=1");
  const cursors = ["cursor=", "cursor=abc", `cursor=${"A".repeat(32)}`];
  const issued = next?.get("cursor");
  if (issued) {
    const changed = (issued.startsWith("A") ? "B" : "A") + issued.slice(1);
    cursors.push(
      `cursor=${changed}`,
      `cursor=${issued}=`,
      `cursor=${issued}&status=sold`,
      `cursor=${issued}&cursor=${issued}`,
    );
    const { items: rest } = await pageOf(session, PETS, `?limit=5&cursor=${issued}`);
    const leads = rest.length > 0 && (rest[0]?.id ?? 0n) > (animals[0]?.id ?? 0n);
    assert(leads, "a cursor that goes with another limit", `${rest.length} animals`);
  }
  await session.refuseQueries("/pets", "cursor", cursors);
}
