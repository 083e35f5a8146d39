import { animalOf, show } from "./animal.ts";
import { askForCopies, BROKEN_ESCAPES, IDS_OF_NOTHING } from "./bad-requests.ts";
import { assertSame } from "./contract-violation.ts";
import { PETS } from "./lists.ts";
import { pageOf } from "./page.ts";
import type { Group } from "./session.ts";

export const gets: Group = {
  name: "get",
  promise: "Each animal can be fetched as it was added, and every response says that this is deprecated.",
  needs: ["pets:read"],
  cases: {
    "each animal is as it was added": async (session) => {
      // Without the scope to add animals, existing ones serve.
      const known =
        session.animals.length > 0 ? session.animals : (await pageOf(session, PETS, "limit=5")).items;
      for (const animal of known) {
        const { item: found, request } = await session.read(`/pets/${animal.id}`, animalOf);
        assertSame(`${found.id}, ${show(found)}`, `${animal.id}, ${show(animal)}`, request);
      }
      for (const { id } of known.slice(0, 1)) {
        await session.ask(`/pets/${`${id}`.replace(/^./, (digit) => `%3${digit}`)}`, "200");
        await askForCopies(session, `/pets/${id}`);
        await session.ask(`/pets/${id}?limit=0&x=1&x=2`, "200");
      }
    },
    "an id of no animal gets 404": (session) =>
      session.askAll([
        {
          outcome: "404 animal_not_found",
          says: "There is no animal with the id",
          calls: IDS_OF_NOTHING.map((id) => `/pets/${id}`),
        },
        { outcome: "400 malformed_escape", calls: BROKEN_ESCAPES.map((id) => `/pets/${id}`) },
      ]),
  },
};
