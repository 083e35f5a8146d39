import { type Animal, animalOf, animalsOf, isSame, parseExact, show } from "../animal.ts";
import { hold } from "../contract-violation.ts";
import type { Desk, Group } from "./session.ts";

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

async function someOf(desk: Desk): Promise<Animal[]> {
  const call = { path: "/pets?limit=5" };
  const { body } = await desk.ask(call, { status: 200 });
  return desk.judge(call, () => animalsOf(body));
}

export const gets: Group = {
  name: "get",
  promise: "Each animal can be fetched as it was added, and every answer says that this is deprecated.",
  needs: ["read"],
  async run(desk) {
    // Who may not add any takes some that are there.
    const known = desk.animals.length > 0 ? desk.animals : await someOf(desk);
    for (const animal of known) {
      const call = { path: `/pets/${animal.id}` };
      const answer = await desk.ask(call, { status: 200 });
      const found = desk.judge(call, () => animalOf(parseExact(answer.body)));
      const holds = found.id === animal.id && isSame(found, animal);
      hold(holds, `${animal.id}, ${show(animal)}`, `${found.id}, ${show(found)}`, desk.client.curl(call));
    }
    const [first] = known;
    if (first) {
      const path = `/pets/${first.id}`;
      const tag = (await desk.ask({ path }, { status: 200 })).headers.get("etag") ?? "";
      await desk.ask({ path, headers: { "If-None-Match": tag } }, { status: 304 });
      await desk.ask({ path, method: "HEAD" }, { status: 200 });
      await desk.ask({ path: `${path}?limit=0&x=1&x=2` }, { status: 200 });
    }
    for (const id of IDS_OF_NOTHING)
      await desk.ask({ path: `/pets/${id}` }, { status: 404, code: "animal_not_found" });
    for (const id of ["%", "%zz", "%ff"])
      await desk.ask({ path: `/pets/${id}` }, { status: 400, code: "malformed_escape" });
  },
};
