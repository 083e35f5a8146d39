import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { messageOf } from "../../relay/message.ts";
import { readSecrets } from "../../relay/secrets.ts";
import { sign } from "../../relay/signature.ts";
import { SECRET } from "./receiver.ts";

const OTHER_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const EVENT = {
  id: 7n,
  type: "animal.created",
  at: "2026-11-27T09:30:00.000Z",
  animal: { id: 9223372036854775807n, name: "Größe 🐕", categoryId: -1n, status: "available" },
} as const;

function signed(text: string, at = Math.floor(Date.now() / 1000)) {
  const { id, body } = messageOf(EVENT);
  const signature = sign({ id, timestamp: at, body }, readSecrets(text) as Uint8Array[]);
  return {
    body,
    headers: { "webhook-id": id, "webhook-timestamp": `${at}`, "webhook-signature": signature },
  };
}

test("a signature has the value that Standard Webhooks gives as its example", () => {
  const secrets = readSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") as Uint8Array[];
  const given = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' };
  expect(sign(given, secrets)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("the library of Standard Webhooks accepts a delivery with each secret of a rotation, and no other", () => {
  const { body, headers } = signed(`${SECRET}\n${OTHER_SECRET}\n`);
  expect(new Webhook(SECRET).verify(body, headers)).toBeDefined();
  expect(new Webhook(OTHER_SECRET).verify(body, headers)).toBeDefined();
  const third = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  expect(() => new Webhook(third).verify(body, headers)).toThrow();
  expect(() => new Webhook(SECRET).verify(body.replace("-1", "-2"), headers)).toThrow();
  const old = signed(SECRET, Math.floor(Date.now() / 1000) - 3600);
  expect(() => new Webhook(SECRET).verify(old.body, old.headers)).toThrow();
});

test("a delivery has the event to the last digit", () => {
  expect(messageOf(EVENT).body).toBe(
    '{"id":7,"type":"animal.created","at":"2026-11-27T09:30:00.000Z",' +
      '"animal":{"id":9223372036854775807,"name":"Größe 🐕","categoryId":-1,"status":"available"}}',
  );
});

test("an event keeps its webhook-id, and events of the same number in two stores have different ones", () => {
  const { id } = messageOf(EVENT);
  expect(id).toMatch(/^evt_7_[0-9a-f]{20}$/);
  expect(messageOf({ ...EVENT }).id).toBe(id);
  expect(messageOf({ ...EVENT, at: "2026-11-27T09:30:00.001Z" }).id).not.toBe(id);
  expect(messageOf({ ...EVENT, animal: { ...EVENT.animal, id: 8n } }).id).not.toBe(id);
});

describe("a text is refused as a secret, without showing it:", () => {
  const bytes = (count: number) => `whsec_${Buffer.alloc(count, 5).toString("base64")}`;
  const wrong: readonly (readonly [name: string, text: string, why: RegExp])[] = [
    ["nothing", " \n", /no secret/],
    ["a word", "hunter2", /something else than whsec_/],
    ["base64 without whsec_", Buffer.alloc(32).toString("base64"), /something else/],
    ["broken base64", "whsec_abc", /something else/],
    ["23 bytes", bytes(23), /secret of 23 bytes/],
    ["65 bytes", bytes(65), /secret of 65 bytes/],
    ["the same secret twice", `${SECRET}\n${SECRET}`, /same secret twice; leave one out/],
    ["three secrets", [SECRET, SECRET, SECRET].join(" "), /holds 3 secrets/],
  ];
  for (const [name, text, why] of wrong) {
    test(name, () => {
      const result = readSecrets(text);
      expect(result).toMatch(why);
      for (const word of text.split(/\s+/).filter(Boolean)) expect(result as string).not.toContain(word);
    });
  }
});
