// A receiver of webhooks for the judge, good but for the habits that its arguments name. It prints its port.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const habits = new Set(process.argv.slice(2));
const keys = process.env.SECRETS.split(" ").map((secret) =>
  Buffer.from(secret.slice("whsec_".length), "base64"),
);
const TYPES = new Set(["animal.created", "animal.status_changed"]);

const acted = [];
/** By id, in digits: its status, and the event by which it has it. */
const animals = new Map();

function isGenuine(
  body,
  { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures },
) {
  if (!id || !timestamp || !signatures) return false;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (habits.has("is fooled by no number") ? age > 300 : !(age <= 300)) return false;
  let signed = body;
  if (habits.has("serializes the body again")) {
    try {
      signed = JSON.stringify(JSON.parse(body));
    } catch {}
  }
  return keys.some((key) => {
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(signed).digest("base64");
    const expected = Buffer.from(`v1,${digest}`);
    return signatures.split(" ").some((each) => {
      const given = Buffer.from(each);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  });
}

/** JSON whose ids are strings of their digits: as numbers, long ones would be rounded. */
function read(body) {
  return JSON.parse(habits.has("rounds") ? body : body.replaceAll(/("id"\s*:\s*)(\d+)/g, '$1"$2"'));
}

function receive(body, headers) {
  if (!isGenuine(body, headers)) return 401;
  const id = headers["webhook-id"];
  if (acted.includes(id)) return 204;
  let event;
  try {
    event = read(body.toString());
  } catch {
    return 400;
  }
  if (!TYPES.has(event.type)) {
    if (habits.has("throws at unknown types")) throw new Error(`unknown type ${event.type}`);
    return 204;
  }
  acted.push(id);
  const known = animals.get(`${event.animal.id}`);
  if (!known || Number(event.id) > known.event)
    animals.set(`${event.animal.id}`, { status: event.animal.status, event: Number(event.id) });
  return 204;
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const statuses = Object.fromEntries([...animals].map(([id, { status }]) => [id, status]));
    response.end(JSON.stringify({ acted, animals: statuses }));
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("error", () => {});
  request.on("end", () => {
    try {
      response.statusCode = receive(Buffer.concat(chunks), request.headers);
    } catch {
      response.statusCode = 500;
    }
    response.end();
  });
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(server.address().port));
