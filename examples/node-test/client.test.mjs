import assert from "node:assert/strict";
import { AnimalStore } from "@animal-store/client";
import { testInSpace } from "./fixture.mjs";

// Our client stands for yours.
const clientFor = ({ baseUrl, apiKey }) => new AnimalStore({ baseUrl, apiKey });

testInSpace("adds an animal once when the response is lost", async (space) => {
  await space.faults({ operation: "createPet", fault: "lost", count: 1 });
  const rex = await clientFor(space).pets.create({ name: "Rex", categoryId: 1n });
  assert.equal(rex.id, 25n);
  const [first, second] = await space.expectRequests({ operation: "createPet" }, 2);
  assert.equal(second.headers["idempotency-key"], first.headers["idempotency-key"]);
});

testInSpace("reports that an animal can no longer be fetched by its id", async (space) => {
  await space.clock.set("2030-12-05T00:00:00Z");
  await assert.rejects(clientFor(space).pets.get(1n), { code: "operation_removed" });
});
