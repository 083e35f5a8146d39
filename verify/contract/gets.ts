import { type Animal, animalOf, animalsOf, isSame, parseExact, show } from "../animal.ts";
import { assert } from "../contract-violation.ts";
import type { ContractSession, Group } from "./session.ts";

const IDS_OF_NOTHING = [
  "0",
  "-1",
  "%2B1",
  "01",
  "1.0",
  "1e0",
  "abc",
  "%201",
  "1%2F",
  "9223372036854775808",
  "9".repeat(400),
];

async function someOf(session: ContractSession): Promise<Animal[]> {
  const call = { path: "/pets?limit=5" };
  const { body } = await session.ask(call, { status: 200 });
  return session.judge(call, () => animalsOf(body));
}

export const gets: Group = {
  name: "get",
  promise: "Each animal can be fetched as it was added, and every answer says that this is deprecated.",
  needs: ["pets:read"],
  async run(session) {
    // Without the scope to add animals, existing ones serve.
    const known = session.animals.length > 0 ? session.animals : await someOf(session);
    for (const animal of known) {
      const call = { path: `/pets/${animal.id}` };
      const answer = await session.ask(call, { status: 200 });
      const found = session.judge(call, () => animalOf(parseExact(answer.body)));
      const holds = found.id === animal.id && isSame(found, animal);
      assert(
        holds,
        `${animal.id}, ${show(animal)}`,
        `${found.id}, ${show(found)}`,
        session.client.curl(call),
      );
    }
    const [first] = known;
    if (first) {
      const path = `/pets/${first.id}`;
      const tag = (await session.ask({ path }, { status: 200 })).headers.get("etag") ?? "";
      await session.ask({ path, headers: { "If-None-Match": tag } }, { status: 304 });
      await session.ask({ path, method: "HEAD" }, { status: 200 });
      await session.ask({ path: `${path}?limit=0&x=1&x=2` }, { status: 200 });
    }
    for (const id of IDS_OF_NOTHING)
      await session.ask({ path: `/pets/${id}` }, { status: 404, code: "animal_not_found" });
    for (const id of ["%", "%zz", "%ff"])
      await session.ask({ path: `/pets/${id}` }, { status: 400, code: "malformed_escape" });
  },
};
