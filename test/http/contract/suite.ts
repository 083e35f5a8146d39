import { describe, expect, test } from "bun:test";
import type { Call } from "../../../contract/client.ts";
import { ALL_OPERATIONS } from "../../../contract/operations.ts";
import { openApiDocument } from "../../../src/http/openapi/document.ts";
import { CATALOGUE } from "../../../src/operations/catalogue.ts";
import type { Engine } from "../../support/engines.ts";
import { contractCases } from "./cases.ts";
import { createPetContract } from "./create-pet.ts";
import { everyOperation } from "./every-operation.ts";
import { Exercised } from "./exercised.ts";
import { getKeyContract } from "./get-key.ts";
import { getOrderContract } from "./get-order.ts";
import { getPetContract } from "./get-pet.ts";
import { listEventsContract } from "./list-events.ts";
import { listOrdersContract } from "./list-orders.ts";
import { listPetsContract } from "./list-pets.ts";
import { placeOrderContract } from "./place-order.ts";
import type { Scenario } from "./scenario.ts";
import { updateOrderContract } from "./update-order.ts";

/** What of an operation only a test can see, where there is more than `everyOperation` has. */
const OWN: Readonly<Record<string, (exercised: Exercised) => void>> = {
  listPets: listPetsContract,
  createPet: createPetContract,
  getPet: getPetContract,
  placeOrder: placeOrderContract,
  listOrders: listOrdersContract,
  getOrder: getOrderContract,
  getKey: getKeyContract,
  listEvents: listEventsContract,
  updateOrder: updateOrderContract,
};

/** The contract over real HTTP on a real database: the cases of contract/, and in addition what only a test can see. */
export function httpContract(engine: Engine): void {
  const exercised = new Exercised(engine);

  describe("the contract", () => contractCases(exercised));
  for (const { id, scope, sample, creates } of ALL_OPERATIONS) {
    const { path, ...others } = sample as Call;
    const request = { ...others, path: `/v1${path}`, status: creates ? 201 : 200 } as Scenario;
    const own = OWN[id] ?? (() => everyOperation(exercised, { scope, request }));
    describe(id, () => own(exercised));
  }

  describe("all of it", () => {
    const { paths, components } = JSON.parse(openApiDocument(CATALOGUE, []));
    const declared = CATALOGUE.flatMap(({ id, path, method }) => {
      const statuses = Object.keys(paths[path][method.toLowerCase()].responses);
      return statuses.filter((status) => status !== "default").map((status) => `${id} ${status}`);
    }).sort();

    test("every status that an operation returned is declared, and every declared status was returned", () => {
      expect(exercised.pairs).toEqual(declared);
    });

    test("every failure that an operation declares was returned", () => {
      const failures = CATALOGUE.flatMap(({ id, failures }) => failures.map((code) => `${id} ${code}`));
      const unseen = failures.filter((pair) => !exercised.codes.has(pair));
      // Only a stream that is opened while the service stops gets it.
      expect(unseen).toEqual(["listEvents not_ready"]);
    });

    test("every header that was returned is declared", () => {
      for (const { id, path, method } of CATALOGUE) {
        const { responses } = paths[path][method.toLowerCase()];
        for (const [status, response] of Object.entries<{ $ref?: string; headers: object }>(responses)) {
          const { headers } = components.responses[response.$ref?.split("/").at(-1) ?? ""] ?? response;
          const known = Object.keys(headers).map((name) => name.toLowerCase());
          const undeclared = exercised.headersOf(`${id} ${status}`).filter((name) => !known.includes(name));
          expect({ id, status, undeclared }).toEqual({ id, status, undeclared: [] });
        }
      }
    });
  });
}
