import { EVENT_TYPES } from "../src/domain/change-event.ts";
import { VERSION } from "../src/system/version.ts";
import { type DeliveryFilterName, OUTCOMES } from "./deliveries/delivery-entry.ts";
import { WAIT_MAX_MS } from "./deliveries/delivery-query.ts";
import { TIMEOUT_MAX_MS } from "./deliveries/wish-schema.ts";
import { DELIVERY_FAULT_NAMES, FAULT_NAMES, REQUEST_FAULT_NAMES } from "./faults.ts";
import type { FilterName } from "./journal-entry.ts";
import { KEY_NAMES } from "./keys.ts";

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const time: Schema = { type: "string", format: "date-time" };
const whole = (minimum: number, maximum: number): Schema => ({ type: "integer", minimum, maximum });
const listOf = (items: Schema): Schema => ({ type: "array", items });
const eventType: Schema = { type: "string", enum: EVENT_TYPES };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
});

const ok = (schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});
const done = { "204": { description: "It is done." } };
const failure = (description: string) => ok(ref("Error"), description);
const body = (schema: Schema) => ({ required: true, content: { "application/json": { schema } } });
const inPath = (name: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: text,
});

/**
 * The OpenAPI document of the control interface.
 *
 * @param address of the sandbox, without a path
 * @param operations the ids of the operations that faults may name
 */
export function controlDocument(address: string, operations: readonly string[]) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Animal Store sandbox",
      version: VERSION,
      description:
        "Controls a sandbox: its spaces, and the faults, the clock, the journal and the state of each. A request works on " +
        "the space whose API key it carries, and without a key on the first.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: address, description: "This sandbox" }],
    security: [{}, { spaceKey: [] }],
    paths: pathsOf(operations),
    components: {
      securitySchemes: {
        spaceKey: { type: "http", scheme: "bearer", description: "A key of the space that is meant." },
      },
      schemas: schemasOf(operations),
    },
  };
}

/** Each operation also answers with an Error where the request makes no sense. */
function operation(
  operationId: string,
  summary: string,
  responses: Readonly<Record<string, unknown>>,
  others: Readonly<Record<string, unknown>> = {},
) {
  return {
    operationId,
    summary,
    ...others,
    responses: { ...responses, default: failure("What was wrong.") },
  };
}

function pathsOf(operations: readonly string[]) {
  const filters: Readonly<Record<FilterName, Schema>> = {
    operation: { type: "string", enum: operations },
    method: text,
    path: text,
    key: { type: "string", enum: KEY_NAMES },
    idempotencyKey: text,
    fault: { type: "string", enum: REQUEST_FAULT_NAMES },
    status: whole(200, 599),
  };
  const deliveryFilters: Readonly<Record<DeliveryFilterName, Schema>> = {
    target: whole(1, 999_999_999),
    event: eventType,
    eventId: { type: "integer", format: "int64", minimum: 1 },
    attempt: whole(1, 999_999_999),
    fault: { type: "string", enum: DELIVERY_FAULT_NAMES },
    status: whole(200, 599),
    outcome: { type: "string", enum: OUTCOMES },
  };
  const inQuery = (all: Readonly<Record<string, Schema>>) =>
    Object.entries(all).map(([name, schema]) => ({ name, in: "query", schema }));
  const shown = [
    { name: "after", in: "query", schema: whole(0, Number.MAX_SAFE_INTEGER) },
    { name: "limit", in: "query", schema: { ...whole(0, 1000), default: 100 } },
  ];
  const faults = { "200": ok(ref("Faults"), "The planned faults.") };
  const clock = { "200": ok(ref("Clock"), "The time of the space.") };
  const space = { "200": ok(ref("Space"), "The space.") };
  const spaceName = { parameters: [inPath("space", "The name of the space.")] };
  const snapshotName = {
    parameters: [inPath("name", "1 to 64 letters, digits, dots, hyphens, underscores.")],
  };
  return {
    "/_sandbox": {
      get: operation("getState", "Show the space, its keys, time and faults", {
        "200": ok(ref("State"), "The state of the space."),
      }),
    },
    "/_sandbox/spaces": {
      get: operation("listSpaces", "List all spaces", {
        "200": ok(object({ spaces: listOf(ref("Space")) }), "The first space, and the others."),
      }),
      post: operation(
        "createSpace",
        "Make a space with keys of its own",
        {
          "201": ok(ref("Space"), "The new space."),
          "404": failure("There is no such snapshot."),
          "503": failure("There are as many spaces as there may be."),
        },
        {
          parameters: [
            {
              name: "snapshot",
              in: "query",
              description:
                "A snapshot of the space whose key the request carries: the new space begins there.",
              schema: text,
            },
          ],
        },
      ),
    },
    "/_sandbox/spaces/{space}": {
      ...spaceName,
      get: operation("getSpace", "Show a space", { ...space, "404": failure("There is no such space.") }),
      delete: operation("deleteSpace", "Remove a space", {
        ...done,
        "404": failure("There is no such space."),
        "409": failure("The first space stays."),
      }),
    },
    "/_sandbox/faults": {
      get: operation("getFaults", "Show the planned faults", faults),
      put: operation("planFaults", "Plan these faults, in place of all others", faults, {
        requestBody: body(ref("FaultPlan")),
      }),
      post: operation(
        "addFaults",
        "Append these faults to the plan",
        { ...faults, "409": failure("The plan would have more faults than it may have.") },
        { requestBody: body(ref("FaultPlan")) },
      ),
      delete: operation("deleteFaults", "Plan no faults", done),
    },
    "/_sandbox/clock": {
      get: operation("getClock", "Show the time", clock),
      put: operation("setClock", "Set, advance, freeze or release the clock", clock, {
        requestBody: body(ref("ClockChange")),
      }),
      delete: operation("resetClock", "Return to the real time", done),
    },
    "/_sandbox/requests": {
      get: operation(
        "listRequests",
        "Show the requests that came in, in their order",
        { "200": ok(ref("Requests"), "The requests that match.") },
        {
          parameters: [
            ...inQuery(filters),
            ...shown,
            {
              name: "nearest",
              in: "query",
              description: "How many of the requests to show that do not match, and come nearest to it.",
              schema: { ...whole(0, 20), default: 0 },
            },
          ],
        },
      ),
      delete: operation("deleteRequests", "Empty the journal", done),
    },
    "/_sandbox/deliveries": {
      get: operation(
        "listDeliveries",
        "Show what was delivered, and wait for it",
        { "200": ok(ref("Deliveries"), "The deliveries that match, and the addresses that get more.") },
        {
          parameters: [
            ...inQuery(deliveryFilters),
            ...shown,
            {
              name: "atLeast",
              in: "query",
              description: "The response waits until this many of the matching deliveries have ended.",
              schema: { ...whole(0, 1000), default: 0 },
            },
            {
              name: "waitMs",
              in: "query",
              description: "How long it waits; then it has what there is.",
              schema: { ...whole(0, WAIT_MAX_MS), default: 10_000 },
            },
          ],
        },
      ),
      post: operation(
        "deliverTo",
        "Deliver each event from now on to an address, as a webhook",
        {
          "201": ok(ref("DeliveryTarget"), "The address, and the secrets of its deliveries."),
          "409": failure("The space delivers to as many addresses as it may."),
        },
        { requestBody: body(ref("DeliveryWish")) },
      ),
      delete: operation("endDeliveries", "End all deliveries; their list stays", done),
    },
    "/_sandbox/deliveries/{target}": {
      parameters: [inPath("target", "The number of the address.")],
      delete: operation("endDeliveriesTo", "End the deliveries to an address", {
        ...done,
        "404": failure("There is no such address."),
      }),
    },
    "/_sandbox/reset": {
      post: operation(
        "reset",
        "Begin again: first state, real time, first faults, empty journal, no deliveries",
        done,
      ),
    },
    "/_sandbox/snapshots": {
      get: operation("listSnapshots", "List the snapshots of the space", {
        "200": ok(object({ snapshots: listOf(text) }), "Their names, in the order in which they were taken."),
      }),
    },
    "/_sandbox/snapshots/{name}": {
      ...snapshotName,
      put: operation("takeSnapshot", "Keep the store and the clock as they are", {
        ...done,
        "409": failure("The space has as many snapshots as it may have."),
      }),
      post: operation("restoreSnapshot", "Begin again from a snapshot", {
        ...done,
        "404": failure("There is no such snapshot."),
      }),
      delete: operation("deleteSnapshot", "Delete a snapshot", {
        ...done,
        "404": failure("There is no such snapshot."),
      }),
    },
    "/_sandbox/openapi.json": {
      get: operation("getControlDocument", "This document", {
        "200": ok({ type: "object" }, "The document."),
      }),
    },
  };
}

function schemasOf(operations: readonly string[]): Readonly<Record<string, Schema>> {
  const fault = {
    fault: { type: "string", enum: FAULT_NAMES },
    delayMs: whole(1, 120_000),
    delayMaxMs: whole(1, 120_000),
    retryAfterSeconds: whole(0, 86_400),
    operation: { type: "string", enum: operations },
    key: { type: "string", enum: KEY_NAMES },
    path: text,
    event: { ...eventType, description: "For faults of deliveries: the only type that meets it." },
    body: { type: "object", description: "Members that the body of a request must have, with their values." },
    after: whole(0, 1_000_000),
    probability: { type: "number", exclusiveMinimum: 0, maximum: 1 },
    seed: whole(0, 999_999_999),
  };
  const headers = { type: "object", additionalProperties: text };
  const nullable = { type: ["string", "null"] };
  const response = {
    status: { type: "integer" },
    elapsedMs: { type: "number" },
    headers,
    body: nullable,
    bodyIsWhole: { type: "boolean" },
  };
  return {
    Error: object({ code: text, message: text, status: { type: "integer" } }),
    Key: object({
      name: text,
      key: text,
      scopes: listOf(text),
      state: { type: "string", enum: ["valid", "expired", "revoked"] },
    }),
    Space: object({ space: text, keys: listOf(ref("Key")) }),
    Clock: object({ now: time, frozen: { type: "boolean" } }),
    State: object({
      version: text,
      space: text,
      keys: listOf(ref("Key")),
      now: time,
      frozen: { type: "boolean" },
      faults: listOf(ref("PlannedFault")),
    }),
    ClockChange: {
      ...object({ now: text, advance: text, frozen: { type: "boolean" } }, []),
      description:
        "A time as RFC 3339 writes it, or a duration such as 25h by which to advance; one of the three at least.",
    },
    Fault: {
      ...object({ ...fault, status: whole(400, 599), count: whole(1, 1_000_000) }, []),
      oneOf: [{ required: ["fault"] }, { required: ["status"] }],
      additionalProperties: false,
      description: '`status` is another way to write a `fault` that is a status: 503 for `"503"`.',
    },
    FaultPlan: object({ faults: { ...listOf(ref("Fault")), maxItems: 100 } }),
    PlannedFault: {
      ...object({ ...fault, count: whole(0, 1_000_000), hit: listOf({ type: "integer" }) }, ["fault", "hit"]),
      description:
        "`count` is what is left of it, and `hit` the ids of the requests or deliveries that met the fault.",
    },
    Faults: object({ faults: listOf(ref("PlannedFault")) }),
    Request: object({
      id: { type: "integer" },
      at: time,
      elapsedMs: { type: "number" },
      method: text,
      target: text,
      operation: nullable,
      key: nullable,
      headers,
      body: nullable,
      bodyIsWhole: { type: "boolean" },
      fault: {
        anyOf: [object({ fault: text, rule: { type: ["integer", "null"] } }), { type: "null" }],
      },
      response: { anyOf: [object(response), { type: "null" }] },
    }),
    DeliveryWish: {
      ...object(
        {
          url: text,
          secret: text,
          formerSecret: text,
          types: listOf(eventType),
          timeoutMs: whole(1, TIMEOUT_MAX_MS),
        },
        ["url"],
      ),
      additionalProperties: false,
      description:
        "A secret is `whsec_` with 24 to 64 bytes in base64, and is made where it is left out; `secret` may have two, " +
        "separated by a space. `formerSecret` signs what the fault `delivery_old_signature` hits.",
    },
    DeliveryTarget: {
      ...object({
        target: { type: "integer" },
        url: text,
        types: listOf(eventType),
        secret: text,
        formerSecret: text,
        timeoutMs: { type: "integer" },
        ended: nullable,
      }),
      description: "`ended` says why the deliveries have ended by themselves, if they have.",
    },
    Delivery: {
      ...object({
        id: { type: "integer" },
        target: { type: "integer" },
        event: eventType,
        eventId: { type: "integer", format: "int64" },
        attempt: { type: "integer" },
        fault: { anyOf: [object({ fault: text, rule: { type: "integer" } }), { type: "null" }] },
        at: { type: ["string", "null"], format: "date-time" },
        elapsedMs: { type: ["number", "null"] },
        headers,
        body: text,
        outcome: { type: ["string", "null"], enum: [...OUTCOMES, null] },
        error: nullable,
        durationMs: { type: ["number", "null"] },
        response: {
          anyOf: [
            object({ status: { type: "integer" }, headers, body: text, bodyIsWhole: { type: "boolean" } }),
            { type: "null" },
          ],
        },
      }),
      description:
        "An attempt to deliver an event: its headers as they left, the body before any fault, and what came back. `null` is what has not happened; an attempt is `dropped` when the deliveries or the store of its event end before it has.",
    },
    Deliveries: object({
      targets: listOf(ref("DeliveryTarget")),
      count: { type: "integer" },
      dropped: { type: "integer" },
      deliveries: listOf(ref("Delivery")),
    }),
    Requests: object(
      {
        count: { type: "integer" },
        dropped: { type: "integer" },
        requests: listOf(ref("Request")),
        nearest: listOf(
          object({ request: ref("Request"), differs: { type: "object", additionalProperties: nullable } }),
        ),
      },
      ["count", "dropped", "requests"],
    ),
  };
}
