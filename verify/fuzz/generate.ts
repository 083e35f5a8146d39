import type { Random } from "../random.ts";
import { create, createAgain, getAnimal, listAnimals } from "./generate-animals.ts";
import { anywhere, preflight, small } from "./generate-anywhere.ts";
import { altered, forbidden, garbled, type RawTurn } from "./generate-bytes.ts";
import { listEvents } from "./generate-events.ts";
import { readHeaders } from "./generate-headers.ts";
import { anyOfOrders } from "./generate-orders.ts";
import type { Model } from "./model.ts";
import type { FuzzRequest } from "./request.ts";
import type { Keys, Source } from "./source.ts";

/** What a client sends at once: requests, pipelined if there are several, or raw bytes. */
type Turn = { readonly requests: readonly FuzzRequest[] } | RawTurn;

/** Generates requests, most of them nearly right, from what the service has answered so far. */
export class Generator {
  readonly #source: Omit<Source, "random">;

  /** @param name distinguishes the `Idempotency-Key`s of this generator from those of others */
  constructor(model: Model, keys: Keys, name: string) {
    let count = 0;
    this.#source = { model, keys, unique: () => `${name}.${count++}` };
  }

  next(random: Random): Turn {
    const source: Source = { ...this.#source, random };
    const { orders, events } = source.model;
    const one = (generate: (source: Source) => FuzzRequest) => () => ({ requests: [generate(source)] });
    return random.weighted<() => Turn>([
      ...(orders ? [[30, one(() => anyOfOrders(source, orders))] as const] : []),
      ...(events ? [[8, one(() => listEvents(source, events))] as const] : []),
      [36, one(create)],
      [20, one(listAnimals)],
      [12, one(getAnimal)],
      [6, one(anywhere)],
      [4, one(ownKey)],
      [4, one(withOtherKey)],
      [3, one(createAgain)],
      [1, one(preflight)],
      [4, () => ({ requests: Array.from({ length: random.between(2, 4) }, () => small(source)) })],
      [5, () => forbidden(source)],
      [7, () => altered(source)],
      [2, () => garbled(source)],
    ])();
  }
}

/** A request for what its key is; where the service does not offer that, for nothing. */
function ownKey(source: Source): FuzzRequest {
  const { chance, pick } = source.random;
  const query = chance(0.2) ? pick(["?", "?x=1", "?name=%00", "?x=%zz"]) : "";
  const method = chance(0.8) ? "GET" : "HEAD";
  return { kind: "key", method, target: `/v1/key${query}`, headers: readHeaders(source) };
}

/** A request with another `Authorization`, mostly an invalid one. */
function withOtherKey(source: Source): FuzzRequest {
  const { chance, pick } = source.random;
  const { full, reading } = source.keys;
  const authorization = pick([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${full.slice(0, -1)}`,
    `Bearer ${full}x`,
    `Bearer ${full.toLowerCase()}`,
    `Bearer ${full} ${full}`,
    `Basic ${full}`,
    full,
    `Bearer "${full}"`,
    `Bearer ${full},`,
    "Bearer as_live_000000000000000000000000000000000000",
    "Bearer \xff",
    // These are valid: another case of the scheme, more spaces, and a key that may only read.
    `bEaReR ${full}`,
    `Bearer   ${full}`,
    `Bearer ${reading}`,
    `Bearer ${reading}`,
    `Bearer ${reading}`,
  ]);
  const request = pick([create, listAnimals, getAnimal, anywhere, ownKey])(source);
  const headers = request.headers.filter(([name]) => name !== "Authorization");
  if (authorization !== undefined) headers.push(["Authorization", authorization]);
  if (chance(0.05)) headers.push(["Authorization", `Bearer ${full}`]);
  return { ...request, kind: "authorization", headers };
}
