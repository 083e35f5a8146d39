// Another process on the same store: `visitor.ts URL add NAME COUNT` adds animals and prints their ids;
// `visitor.ts URL first-key COUNT` asks COUNT times for the first key, and prints how often it got it.
import { hashApiKey } from "../../src/domain/api-key.ts";
import { openStore } from "../../src/stores/open.ts";

const [url = "", work, ...rest] = process.argv.slice(2);
const store = await openStore(url, Date.now);
if (work === "add") {
  const [name = "", count] = rest;
  const adding = Array.from({ length: Number(count) }, () =>
    store.addAnimal({ name, categoryId: 1n, status: "available" }),
  );
  const added = await Promise.all(adding);
  console.log(added.map((animal) => (animal as { id: bigint }).id).join("\n"));
} else {
  const asking = Array.from({ length: Number(rest[0]) }, (_, n) => {
    const hash = hashApiKey(`${process.pid} ${n}`);
    return store.addFirstKey({
      hash,
      environment: "production",
      name: "first",
      scopes: [],
      createdAt: 1,
      expiresAt: null,
    });
  });
  console.log((await Promise.all(asking)).filter((added) => added).length);
}
await store.close();
