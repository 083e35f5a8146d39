import { STATUSES } from "../../contract/animal.ts";
import { garbage, large, mutate, nearly, plausible } from "./bodies.ts";
import { bodyHeaders, idempotencyKey, readHeaders, usualHeaders } from "./generate-headers.ts";
import { BROKEN_ESCAPES, pageQuery } from "./generate-query.ts";
import type { FuzzRequest } from "./request.ts";
import type { Source } from "./source.ts";
import { writeAnimal } from "./values.ts";

const IDS = (
  "0 -1 +1 01 1.0 1e2 0x1 9223372036854775807 9223372036854775808 99999999999999999999999 abc NaN " +
  "1%00 %31 %201 1%2F2 %D9%A1 null *"
).split(" ");
const WRONG_STATUSES = ["Sold", "", "gone", "sold,pending", "%73old", "sold%00", "pending%20", "sold"];

export function create(source: Source): FuzzRequest {
  const { random } = source;
  const { chance, pick, weighted } = random;
  const [kind, body] = weighted<() => [string, Buffer]>([
    [14, () => ["plausible", plausible(random)]],
    [10, () => ["nearly right", nearly(random)]],
    [6, () => ["mutated", mutate(plausible(random), random)]],
    [2, () => ["garbage", garbage(random)]],
    [1, () => ["large", large(random)]],
  ])();
  const headers = bodyHeaders(source);
  if (chance(0.1)) headers.push(["Idempotency-Key", idempotencyKey(source)]);
  const query = chance(0.95) ? "" : pick(["?", "?limit=0", "?x=%41", "?x=%zz"]);
  const target = `/v1/pets${query}`;
  return { kind: `create ${kind}`, method: "POST", target, headers, body, chunked: chance(0.2) };
}

/** Repeats a create, written differently, or with other content. */
export function createAgain(source: Source): FuzzRequest {
  const { random, model } = source;
  const { chance, pick } = random;
  const earlier = model.animals.keys.any(random);
  if (!earlier) return create(source);
  const { key, item } = earlier;
  const content = chance(0.9) ? item : { ...item, status: pick(STATUSES) };
  return {
    kind: "create again",
    method: "POST",
    target: "/v1/pets",
    headers: [...usualHeaders(source), ["Content-Type", "application/json"], ["Idempotency-Key", key]],
    body: Buffer.from(writeAnimal(content, random)),
    chunked: chance(0.2),
  };
}

export function listAnimals(source: Source): FuzzRequest {
  const { random, model } = source;
  const { chance, pick } = random;
  const filters = { status: { valid: () => pick(STATUSES), wrong: WRONG_STATUSES } };
  return {
    kind: "list",
    method: chance(0.9) ? "GET" : "HEAD",
    target: `/v1/pets${pageQuery(random, model.animals.positions, filters)}`,
    headers: readHeaders(source),
  };
}

export function getAnimal(source: Source): FuzzRequest {
  const { random, model } = source;
  const { chance, pick } = random;
  const id = model.animals.anId(random);
  const text = chance(0.8) ? `${id}` : chance(0.8) ? pick(IDS) : `1${pick(BROKEN_ESCAPES)}`;
  return {
    kind: "get",
    method: chance(0.8) ? "GET" : "HEAD",
    target: `/v1/pets/${text}`,
    headers: readHeaders(source, model.animals.tagOf(id)),
  };
}
