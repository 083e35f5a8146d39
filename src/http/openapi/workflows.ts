import type { Operation } from "../../operations/operation.ts";
import { layOutJson } from "../response/json-layout.ts";
import type { Json } from "./schemas.ts";

/** A workflow of Arazzo 1.0, as far as ours have the members. */
interface Workflow extends Json {
  readonly workflowId: string;
  readonly steps: readonly (Json & { readonly operationId: string })[];
}

const INT64 = { type: "integer", format: "int64" };
const JSON_BODY = "application/json";
const FAILURE_ACTIONS = "$components.failureActions.";

/** What a step does that failed: the same request again, unless the service has refused it. */
const ON_FAILURE = ["giveUp", "tryAgain"].map((name) => ({ reference: FAILURE_ACTIONS + name }));

const sellAnimal: Workflow = {
  workflowId: "sellAnimal",
  summary: "Sell an animal",
  description:
    "Places an order for an animal, approves it and delivers it. Each step may be repeated: the order is placed once, since it " +
    "has an `Idempotency-Key`, and the status that an order has already changes nothing.",
  inputs: {
    type: "object",
    required: ["petId", "saleId"],
    properties: {
      petId: { ...INT64, description: "The animal." },
      saleId: { type: "string", description: "A name of your own for this sale, which no other has." },
    },
  },
  steps: [
    {
      stepId: "place",
      description: "From now on the animal is `pending`, and nobody else can order it.",
      operationId: "placeOrder",
      parameters: [{ name: "Idempotency-Key", in: "header", value: "$inputs.saleId" }],
      requestBody: { contentType: JSON_BODY, payload: { petId: "$inputs.petId" } },
      successCriteria: [{ condition: "$statusCode == 201" }],
      onFailure: ON_FAILURE,
      outputs: { orderId: "$response.body#/id" },
    },
    changeOrder("approve", "approved"),
    changeOrder("deliver", "delivered"),
    {
      stepId: "check",
      description: "The order and its animal are of the same moment.",
      operationId: "getOrder",
      parameters: [
        { name: "orderId", in: "path", value: "$steps.place.outputs.orderId" },
        { name: "include", in: "query", value: "pet" },
      ],
      successCriteria: [
        { condition: "$statusCode == 200" },
        { condition: "$response.body#/pet/status == 'sold'" },
      ],
      onFailure: ON_FAILURE,
      outputs: { soldAt: "$response.body#/updatedAt" },
    },
  ],
  outputs: { orderId: "$steps.place.outputs.orderId", soldAt: "$steps.check.outputs.soldAt" },
};

function changeOrder(stepId: string, status: string): Workflow["steps"][number] {
  return {
    stepId,
    description: `The order is \`${status}\`.`,
    operationId: "updateOrder",
    parameters: [{ name: "orderId", in: "path", value: "$steps.place.outputs.orderId" }],
    requestBody: { contentType: JSON_BODY, payload: { status } },
    successCriteria: [{ condition: "$statusCode == 200" }],
    onFailure: ON_FAILURE,
  };
}

const CREATE = {
  operationId: "createPet",
  parameters: [{ name: "Idempotency-Key", in: "header", value: "$inputs.requestName" }],
  requestBody: {
    contentType: JSON_BODY,
    payload: { name: "$inputs.name", categoryId: "$inputs.categoryId" },
  },
  onFailure: ON_FAILURE,
};

const addOnce: Workflow = {
  workflowId: "addOnce",
  summary: "Add an animal once, although responses are lost",
  description:
    "A create whose response is lost may have happened. Sent again with the same `Idempotency-Key`, it gets the response that the " +
    "first one would have got, and adds no second animal. The last step shows it.",
  inputs: {
    type: "object",
    required: ["name", "categoryId", "requestName"],
    properties: {
      name: { type: "string", description: "The animal's name." },
      categoryId: { ...INT64, description: "Its category." },
      requestName: { type: "string", description: "A name of your own for this create, which no other has." },
    },
  },
  steps: [
    {
      stepId: "add",
      description: "Repeated until a response comes.",
      ...CREATE,
      successCriteria: [{ condition: "$statusCode == 201" }],
      outputs: { petId: "$response.body#/id" },
    },
    {
      stepId: "again",
      description: "The same request gets the same animal, and says so.",
      ...CREATE,
      successCriteria: [
        { condition: "$statusCode == 201" },
        { condition: "$response.header.Idempotent-Replayed == 'true'" },
        { condition: "$response.body#/id == $steps.add.outputs.petId" },
      ],
    },
  ],
  outputs: { petId: "$steps.add.outputs.petId" },
};

const walkStock: Workflow = {
  workflowId: "walkStock",
  summary: "Walk through all animals, page by page",
  description:
    'Reads a page. While `link` has an address with `rel="next"`, run it again with the `cursor` of that address: so each animal ' +
    "comes exactly once, even while others are added. An expression of Arazzo 1.0 cannot take the cursor out of the header itself.",
  inputs: {
    type: "object",
    properties: {
      cursor: { type: "string", description: "Where the page begins; left out for the first one." },
    },
  },
  steps: [
    {
      stepId: "read",
      description: "A page of the greatest size.",
      operationId: "listPets",
      parameters: [
        { name: "limit", in: "query", value: 100 },
        { name: "cursor", in: "query", value: "$inputs.cursor" },
      ],
      successCriteria: [{ condition: "$statusCode == 200" }],
      onFailure: ON_FAILURE,
      outputs: { animals: "$response.body", link: "$response.header.Link" },
    },
  ],
  outputs: { animals: "$steps.read.outputs.animals", link: "$steps.read.outputs.link" },
};

/** Writes the Arazzo 1.0 document: what calls of these operations do together. */
export function arazzoDocument(operations: readonly Operation[]): string {
  const offered = new Set(operations.map(({ id }) => id));
  const document = {
    arazzo: "1.0.1",
    info: {
      title: "Animal Store",
      version: "1.0.0",
      summary: "What clients of an animal store do in several requests.",
    },
    sourceDescriptions: [{ name: "animalStore", url: "openapi.json", type: "openapi" }],
    workflows: [sellAnimal, addOnce, walkStock].filter(({ steps }) =>
      steps.every(({ operationId }) => offered.has(operationId)),
    ),
    components: {
      failureActions: {
        giveUp: {
          name: "giveUp",
          type: "end",
          // The same request would be refused again. 408 and 429 pass.
          criteria: [{ context: "$statusCode", condition: "^4(?!08|29)", type: "regex" }],
        },
        // A response that was lost has no status.
        tryAgain: { name: "tryAgain", type: "retry", retryAfter: 1, retryLimit: 5 },
      },
    },
  };
  return `${layOutJson(document)}\n`;
}
