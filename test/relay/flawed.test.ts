import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { cutShort, trickled } from "../../relay/broken-body.ts";
import { FLAWS, flawed } from "../../relay/flawed.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { sign } from "../../relay/signature.ts";
import { Target } from "../../relay/target.ts";
import { wireOf } from "../../relay/wire.ts";
import { SECRET } from "./receiver.ts";

const FORMER = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const NEVER = new AbortController().signal;
const keys = { secrets: secretsOf(SECRET), formerSecret: secretsOf(FORMER)[0] as Secret };
const WIRE = wireOf(
  { id: "evt_7_0", body: `{"id":7,"name":"${"Größe 🐕".repeat(20)}"}` },
  { secrets: keys.secrets, now: Date.now(), agent: "test" },
);

function secretsOf(text: string): readonly Secret[] {
  return readSecrets(text) as readonly Secret[];
}

test("the library of Standard Webhooks accepts the true delivery, and none with a flaw", () => {
  expect(new Webhook(SECRET).verify(WIRE.body, WIRE.headers)).toEqual(JSON.parse(WIRE.body));
  for (const flaw of FLAWS) {
    const { body, headers } = flawed(WIRE, flaw, keys);
    expect(() => new Webhook(SECRET).verify(body, headers)).toThrow();
    expect(headers["webhook-id"]).toBe("evt_7_0");
    expect(JSON.parse(body)).toEqual(JSON.parse(WIRE.body));
  }
});

test("an old signature is that of the secret that was replaced, and an old timestamp is signed with the current one", () => {
  const old = flawed(WIRE, "old_signature", keys);
  expect(new Webhook(FORMER).verify(old.body, old.headers)).toBeDefined();
  const { headers, body } = flawed(WIRE, "old_timestamp", keys);
  const timestamp = Number(WIRE.headers["webhook-timestamp"]) - 86_400;
  expect(headers["webhook-timestamp"]).toBe(`${timestamp}`);
  expect(headers["webhook-signature"]).toBe(sign({ id: "evt_7_0", timestamp, body }, keys.secrets));
});

test("a body arrives in pieces, or its connection closes after the first half", async () => {
  const got = { pieces: 0, bytes: 0, closed: 0, length: "" };
  using listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, chunk) {
        const text = chunk.toString("latin1");
        const head = text.indexOf("\r\n\r\n");
        got.length ||= /content-length: (\d+)/i.exec(text)?.[1] ?? "";
        const bytes = head < 0 ? chunk.length : chunk.length - head - 4;
        got.bytes += bytes;
        got.pieces++;
        if (`${got.bytes}` === got.length)
          socket.write("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok");
      },
      close: () => void got.closed++,
    },
  });
  const target = new Target({ url: new URL(`http://127.0.0.1:${listener.port}/`), allowPrivate: true });
  const seen: unknown[] = [];
  const slow = await target.post({ headers: WIRE.headers, body: trickled(WIRE.body, 5) }, NEVER, (response) =>
    seen.push([response.status, Buffer.from(response.body).toString(), response.isWhole]),
  );
  expect(slow).toEqual({ kind: "delivered", status: 202 });
  expect(seen).toEqual([[202, "ok", true]]);
  const whole = Buffer.byteLength(WIRE.body);
  expect(got).toMatchObject({ bytes: whole, length: `${whole}` });
  expect(got.pieces).toBeGreaterThan(3);
  Object.assign(got, { pieces: 0, bytes: 0, closed: 0, length: "" });
  const cut = await target.post({ headers: WIRE.headers, body: cutShort(WIRE.body) }, NEVER);
  expect(cut).toEqual({ kind: "failed", reason: "the connection was closed in the middle of the body" });
  while (got.closed === 0) await Bun.sleep(1);
  expect(got).toMatchObject({ bytes: Math.floor(whole / 2), length: `${whole}` });
});
