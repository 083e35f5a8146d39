import { expect, test } from "bun:test";
import { messageOf } from "../../relay/message.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { sign } from "../../relay/signature.ts";
import { lintOpenApi } from "../../scripts/lint-openapi.ts";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { SECRET } from "../relay/receiver.ts";

const SERVERS = [{ url: "http://127.0.0.1:8080/v1", description: "This service." }];
const whole = openApiDocument(operationsOffered("experimental"), SERVERS);
const { paths, tags: declared, webhooks } = JSON.parse(whole);
const delivery = webhooks.event.post;

test("a page of the feed, a message of the stream and a delivery have one schema", () => {
  const { content } = paths["/events"].get.responses[200];
  const event = { $ref: "#/components/schemas/Event" };
  expect(content["application/json"].schema.items).toEqual(event);
  expect(content["text/event-stream"].schema["x-data-schema"]).toEqual(event);
  expect(delivery.requestBody.content["application/json"].schema).toEqual(event);
  expect(delivery["x-stability"]).toBe("experimental");
});

test("a delivery has the headers that the document declares", () => {
  const { id, body } = messageOf({
    id: 9223372036854775807n,
    type: "order.placed",
    at: "2026-11-27T09:30:00.000Z",
    order: {
      id: 1n,
      petId: 2n,
      status: "placed",
      placedAt: "2026-11-27T09:30:00.000Z",
      updatedAt: "2026-11-27T09:30:00.000Z",
    },
  });
  const secrets = readSecrets(`${SECRET} whsec_${Buffer.alloc(32).toString("base64")}`) as Secret[];
  const timestamp = 1_795_771_800;
  const sent: Record<string, string> = {
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": sign({ id, timestamp, body }, secrets),
  };
  expect(delivery.parameters.map(({ name }: { name: string }) => name)).toEqual(Object.keys(sent));
  for (const { name, schema } of delivery.parameters) {
    const value = sent[name] as string;
    expect(value).toMatch(new RegExp(schema.pattern ?? ""));
    expect(value.length).toBeWithin(schema.minLength, schema.maxLength + 1);
  }
});

test("a delivery has a tag that no operation has, since generators make a file of each", () => {
  const tagsOf = ({ tags }: { readonly tags: readonly string[] }) => tags;
  const ofOperations = Object.values(paths).flatMap((item) => Object.values(item as object).flatMap(tagsOf));
  expect(ofOperations).not.toContain(tagsOf(delivery)[0]);
  expect(declared.map(({ name }: { name: string }) => name)).toContain(tagsOf(delivery)[0]);
});

test("a linter finds nothing in the document with everything, and a service without the feed declares no webhook", async () => {
  expect(await lintOpenApi(whole)).toEqual([]);
  expect(JSON.parse(openApiDocument(operationsOffered("beta"), SERVERS)).webhooks).toBeUndefined();
});
