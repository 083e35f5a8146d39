const { AnimalStore } = require("@animal-store/client");
const { testInSpace } = require("./fixture");

// Our client stands for yours.
const clientFor = ({ baseUrl, apiKey }) => new AnimalStore({ baseUrl, apiKey });

testInSpace("adds an animal once when the response is lost", async (space) => {
  await space.faults({ operation: "createPet", fault: "lost", count: 1 });
  const rex = await clientFor(space).pets.create({ name: "Rex", categoryId: 1n });
  expect(rex.id).toBe(25n);
  const [first, second] = await space.expectRequests({ operation: "createPet" }, 2);
  expect(second.headers["idempotency-key"]).toBe(first.headers["idempotency-key"]);
});

testInSpace("reports that an animal can no longer be fetched by its id", async (space) => {
  await space.clock.set("2030-12-05T00:00:00Z");
  const get = clientFor(space).pets.get(1n);
  await expect(get).rejects.toMatchObject({ code: "operation_removed" });
});
