import { STATUSES } from "../animal.ts";
import { Random } from "../random.ts";
import { garbage, large, mutate, nearly, plausible, writeInteger, writeString } from "./bodies.ts";
import { ACCEPTED, type EventModel } from "./event-model.ts";
import { eventQuery, lastEventId } from "./generate-events.ts";
import { orderId, orderQuery, placing, update } from "./generate-orders.ts";
import { CONTENT_CODINGS, MEDIA_TYPES } from "./media-types.ts";
import type { Model } from "./model.ts";
import type { OrderModel } from "./order-model.ts";
import { encode, type FuzzRequest } from "./request.ts";

/** Two API keys of the service: with all scopes, and with `pets:read` alone. */
export interface Keys {
  readonly full: string;
  readonly reading: string;
}

/** Raw bytes to send, with the answers that they may get. */
export interface RawTurn {
  readonly kind: string;
  readonly bytes: Buffer;
  /** The statuses that the single answer may have before the connection closes; without them any answers are allowed. */
  readonly refusedWith?: readonly number[];
  /** The most animals that these bytes may add without our knowing. */
  readonly doubtful: number;
}

/** What a client sends at once: requests, pipelined if there are several, or raw bytes. */
type Turn = { readonly requests: readonly FuzzRequest[] } | RawTurn;

type Headers = [name: string, value: string][];

const ENCODINGS = [
  "gzip",
  "br",
  "zstd",
  "*",
  "gzip, br;q=0.5",
  "zstd;q=0, gzip",
  "identity",
  "gzip;q=0",
  "deflate",
  "gzip;q=2",
  ";;q",
  "br;q=1.000, *;q=0.1",
];
const METHODS = ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "GET", "HEAD", "POST"];
const PATHS = (
  "/ /docs /livez /readyz /healthz /openapi.json /v1 /v1/ /v1/pets /v1/pets/ /v1/Pets /v1//pets " +
  "/v1/pets/1 /v1/pets/1/ /v1/pets/1/2 /v1/orders /v1/orders/ /v1/orders/1 /v1/orders/1/2 " +
  "/v1/Orders /v1/events/1 /v1/events/ /v2/pets /v1x/pets /favicon.ico /.env /v1/pets;a=b " +
  "/v1/pets/1;a"
).split(" ");
const IDS = (
  "0 -1 +1 01 1.0 1e2 0x1 9223372036854775807 9223372036854775808 99999999999999999999999 abc NaN " +
  "1%00 %31 %201 1%2F2 %D9%A1 null *"
).split(" ");
const LIMITS = [
  "",
  ..."1 2 20 99 100 %31 0 101 -1 +1 01 1.0 1e1 %201 1%20 ten 0x1 9999999999999999999 %D9%A1 1,2".split(" "),
];
const BROKEN_ESCAPES = ["%", "%2", "%zz", "%ff", "%c0%80", "%ed%a0%80", "%f5%80%80%80", "%e4%b8", "%%32"];

/** Generates requests, most of them nearly right, from what the service has answered so far. */
export class Generator {
  #random = new Random(0, 0);
  readonly #model: Model;
  readonly #keys: Keys;
  /** Keeps the idempotency keys of this generator apart from others. */
  readonly #name: string;
  #count = 0;

  constructor(model: Model, keys: Keys, name: string) {
    this.#model = model;
    this.#keys = keys;
    this.#name = name;
  }

  next(random: Random): Turn {
    this.#random = random;
    const { pick, weighted } = bound(this.#random);
    const { orders, events } = this.#model;
    return weighted<() => Turn>([
      [orders ? 30 : 0, () => one(this.#order(orders as OrderModel))],
      [events ? 8 : 0, () => one(this.#events(events as EventModel))],
      [36, () => one(this.#create())],
      [20, () => one(this.#list())],
      [12, () => one(this.#item())],
      [6, () => one(this.#anywhere())],
      [4, () => one(this.#unauthorized())],
      [3, () => one(this.#retried())],
      [1, () => one(this.#preflight())],
      [4, () => ({ requests: Array.from({ length: this.#random.between(2, 4) }, () => this.#small()) })],
      [5, () => this.#refusable()],
      [7, () => this.#mutated()],
      [
        2,
        () =>
          raw("bytes", pick([() => this.#random.bytes(this.#random.below(300)), () => this.#torn()])(), 0),
      ],
    ])();
  }

  /** A page of the feed, or a stream. */
  #events(events: EventModel): FuzzRequest {
    const { chance, pick } = bound(this.#random);
    const headers = this.#headers().filter(([name]) => name !== "Accept");
    if (chance(0.7)) headers.push(["Accept", pick(["text/event-stream", ...ACCEPTED.keys()])]);
    if (chance(0.4)) headers.push(["Last-Event-ID", lastEventId(this.#random, events)]);
    if (chance(0.1)) headers.push(["If-None-Match", this.#tag(undefined)]);
    return {
      kind: "events",
      method: chance(0.9) ? "GET" : chance(0.5) ? "HEAD" : pick(METHODS),
      target: `/v1/events${eventQuery(this.#random, events)}`,
      headers,
    };
  }

  #create(): FuzzRequest {
    const { chance, weighted } = bound(this.#random);
    const [kind, body] = weighted<() => [string, Buffer]>([
      [14, () => ["plausible", plausible(this.#random)]],
      [10, () => ["nearly right", nearly(this.#random)]],
      [6, () => ["mutated", mutate(plausible(this.#random), this.#random)]],
      [2, () => ["garbage", garbage(this.#random)]],
      [1, () => ["large", large(this.#random)]],
    ])();
    const headers = this.#headers();
    const isTyped = !chance(0.02);
    if (isTyped) headers.push(["Content-Type", chance(0.9) ? "application/json" : this.#mediaType()]);
    if (chance(0.1)) headers.push(["Idempotency-Key", this.#retryKey()]);
    if (chance(0.03)) headers.push(["Content-Encoding", this.#random.pick([...CONTENT_CODINGS.keys()])]);
    if (chance(0.03)) headers.push(["Expect", "100-continue"]);
    return {
      kind: `create ${kind}`,
      method: "POST",
      target: this.#listTarget(),
      headers,
      body,
      chunked: chance(0.2),
    };
  }

  /** Any request for orders. */
  #order(orders: OrderModel): FuzzRequest {
    const { chance, pick, weighted } = bound(this.#random);
    const highest = this.#model.highest;
    const target = `/v1/orders/${orderId(this.#random, orders)}`;
    const read = (target: string, kind: string): FuzzRequest => {
      const headers = this.#headers();
      if (chance(0.1)) headers.push(["If-None-Match", this.#tag(undefined)]);
      return { kind, method: chance(0.9) ? "GET" : "HEAD", target, headers };
    };
    return weighted<() => FuzzRequest>([
      [10, () => this.#place(placing(this.#random, highest), chance(0.2) ? this.#retryKey() : undefined)],
      [2, () => this.#placeAgain(orders)],
      [
        10,
        () => ({
          ...this.#place(update(this.#random), undefined, [
            ...MEDIA_TYPES.keys(),
            "application/merge-patch+json; charset=utf-8",
          ]),
          kind: "update order",
          method: "PATCH",
          target,
        }),
      ],
      [4, () => read(target, "get order")],
      [5, () => read(`/v1/orders${orderQuery(this.#random, orders, highest)}`, "list orders")],
      [
        1,
        () => ({
          kind: "orders anywhere",
          method: pick(METHODS.filter((method) => method !== "POST" && method !== "PATCH")),
          target: pick([target, "/v1/orders"]),
          headers: this.#headers(),
        }),
      ],
    ])();
  }

  #place(body: Buffer, key?: string, types: readonly string[] = [...MEDIA_TYPES.keys()]): FuzzRequest {
    const { chance, pick } = bound(this.#random);
    const headers = this.#headers();
    if (!chance(0.02)) headers.push(["Content-Type", chance(0.85) ? "application/json" : pick(types)]);
    if (key !== undefined) headers.push(["Idempotency-Key", key]);
    if (chance(0.03)) headers.push(["Content-Encoding", pick([...CONTENT_CODINGS.keys()])]);
    return { kind: "place order", method: "POST", target: "/v1/orders", headers, body, chunked: chance(0.2) };
  }

  /** Repeats an order, or uses its key or a create's key for something else. */
  #placeAgain(orders: OrderModel): FuzzRequest {
    const { chance } = bound(this.#random);
    const [ofOrder, ofCreate] = [orders.aRetry(this.#random), this.#model.aRetry(this.#random)];
    const earlier = chance(0.8) ? ofOrder : ofCreate;
    if (!earlier) return this.#place(placing(this.#random, this.#model.highest));
    const petId = "petId" in earlier && chance(0.7) ? writeInteger(earlier.petId, this.#random) : "4";
    return { ...this.#place(Buffer.from(`{"petId":${petId}}`), earlier.key), kind: "place order again" };
  }

  #mediaType(): string {
    return this.#random.pick([...MEDIA_TYPES.keys()]);
  }

  /** A new unique key, sometimes an invalid one. */
  #retryKey(): string {
    const { between, pick, weighted } = bound(this.#random);
    const fresh = `${this.#name}.${this.#count++}`;
    return weighted<() => string>([
      [6, () => fresh],
      [1, () => fresh.padEnd(255, pick(["~", "!", "a b"]))],
      [1, () => fresh.padEnd(between(256, 300), "x")],
      [1, () => ""],
      [1, () => `${fresh}, x`],
      [1, () => `${fresh}${pick(["\t", "é", "\x80", "\xff"])}x`],
    ])();
  }

  /** Repeats a create, written differently, or with other content. */
  #retried(): FuzzRequest {
    const { chance } = bound(this.#random);
    const earlier = this.#model.aRetry(this.#random);
    if (!earlier) return this.#create();
    const { key, content } = earlier;
    const status = chance(0.9) ? content.status : this.#random.pick(STATUSES);
    const members = [
      `"categoryId":${writeInteger(content.categoryId, this.#random)}`,
      `"status":${writeString(status, this.#random)}`,
      `"name":${writeString(content.name, this.#random)}`,
    ];
    if (status === "available" && chance(0.5)) members.splice(1, 1);
    if (chance(0.5)) members.reverse();
    return {
      kind: "create again",
      method: "POST",
      target: "/v1/pets",
      headers: [...this.#headers(), ["Content-Type", "application/json"], ["Idempotency-Key", key]],
      body: Buffer.from(`{${members.join(", ")}}`),
      chunked: chance(0.2),
    };
  }

  #list(): FuzzRequest {
    const { chance } = bound(this.#random);
    const headers = this.#headers();
    if (chance(0.1)) headers.push(["If-None-Match", this.#tag(undefined)]);
    return {
      kind: "list",
      method: chance(0.9) ? "GET" : "HEAD",
      target: `/v1/pets${this.#query()}`,
      headers,
    };
  }

  #query(): string {
    const { between, chance, pick, weighted } = bound(this.#random);
    const pairs: string[] = [];
    if (chance(0.7)) pairs.push(`limit=${chance(0.8) ? between(1, 100) : pick(LIMITS)}`);
    const position = chance(0.5) ? this.#model.positions.any(this.#random) : undefined;
    const filter = position ? position.filters.status : pick([undefined, undefined, ...STATUSES]);
    const given = weighted<string | undefined>([
      [20, filter],
      [1, pick([...STATUSES, "Sold", "", "gone", "sold,pending", "%73old", "sold%00", "pending%20"])],
    ]);
    if (given !== undefined) pairs.push(`status=${given}`);
    if (position) pairs.push(`cursor=${chance(0.6) ? position.cursor : this.#alter(position.cursor)}`);
    else if (chance(0.05)) pairs.push(`cursor=${pick(["", "AAAA", "A".repeat(32), "%", "x+y", "0"])}`);
    // Ignored, given twice, or written in another way.
    if (chance(0.1))
      pairs.push(pick(["x=1", "x", "=", "", "Limit=7", "offset=3", "%6Cimit=5", "a=%E4%B8%AD", ...pairs]));
    if (chance(0.02)) pairs.push(`x=${pick(BROKEN_ESCAPES)}`);
    if (pairs.length === 0) return pick(["", "?"]);
    return `?${pairs.sort(() => this.#random.below(3) - 1).join("&")}`;
  }

  #alter(cursor: string): string {
    const { below, chance, pick } = bound(this.#random);
    const at = below(cursor.length);
    const other = pick([..."ABCXYZabcxyz019-_"]);
    return pick([
      () => cursor.slice(0, at) + (cursor[at] === other ? "Q" : other) + cursor.slice(at + 1),
      () => cursor.slice(0, at),
      () => `${cursor}${pick(["A", "=", "%3D", "%00", "AAAA"])}`,
      () => cursor.slice(0, at) + other + cursor.slice(at),
      () => (chance(0.5) ? cursor.toLowerCase() : cursor.toUpperCase()),
      () => [...cursor].reverse().join(""),
    ])();
  }

  #item(): FuzzRequest {
    const { chance, pick } = bound(this.#random);
    const id = this.#model.anId(this.#random);
    const text = chance(0.8) ? `${id}` : chance(0.8) ? pick(IDS) : `1${pick(BROKEN_ESCAPES)}`;
    const headers = this.#headers();
    if (chance(0.3)) headers.push(["If-None-Match", this.#tag(this.#model.aTag(id))]);
    return { kind: "get", method: chance(0.8) ? "GET" : "HEAD", target: `/v1/pets/${text}`, headers };
  }

  #tag(tag = '"AAAAAAAAAAAAAAAAAAAAAA"'): string {
    return this.#random.pick([tag, tag, `W/${tag}`, `"a", ${tag}`, "*", '"a"', "a", "", '"', "W/*"]);
  }

  /** Any method on any path. */
  #anywhere(): FuzzRequest {
    const { chance, pick } = bound(this.#random);
    const path = chance(0.8) ? pick(PATHS) : this.#escaped(pick(PATHS));
    const target = path + (chance(0.05) ? `?x=${pick(BROKEN_ESCAPES)}` : "");
    const method = pick(METHODS);
    if (method !== "POST") return { kind: "anywhere", method, target, headers: this.#headers() };
    const headers: Headers = [...this.#headers(), ["Content-Type", "application/json"]];
    return { kind: "anywhere", method, target, headers, body: plausible(this.#random) };
  }

  /** A path of which some letters are percent-encoded; the slashes stay. */
  #escaped(path: string): string {
    const { chance, pick } = bound(this.#random);
    const letters = [...path].map((letter, at) => {
      if (at === 0 || letter === "/" || path.slice(0, at).length < 4 || chance(0.7)) return letter;
      return `%${letter.charCodeAt(0).toString(16)}`;
    });
    return letters.join("") + (chance(0.2) ? pick(["%2F", "%20", "%00", "%25", ...BROKEN_ESCAPES]) : "");
  }

  #unauthorized(): FuzzRequest {
    const { chance, pick } = bound(this.#random);
    const { full, reading } = this.#keys;
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
    const base = pick([
      () => this.#create(),
      () => this.#list(),
      () => this.#item(),
      () => this.#anywhere(),
    ])();
    const headers = base.headers.filter(([name]) => name !== "Authorization");
    if (authorization !== undefined) headers.push(["Authorization", authorization]);
    if (chance(0.05)) headers.push(["Authorization", `Bearer ${full}`]);
    return { ...base, kind: "authorization", headers };
  }

  #preflight(): FuzzRequest {
    const headers: Headers = [
      ["Origin", "https://shop.example"],
      ["Access-Control-Request-Method", this.#random.pick(["GET", "POST", "DELETE", "x"])],
    ];
    return { kind: "preflight", method: "OPTIONS", target: this.#random.pick(PATHS), headers };
  }

  /** A request with a small, quick response, which can be pipelined. */
  #small(): FuzzRequest {
    const { between, pick } = bound(this.#random);
    const target = pick([
      `/v1/pets/${this.#model.anId(this.#random)}`,
      `/v1/pets?limit=${between(1, 5)}`,
      "/livez",
      "/v1/pets?limit=0",
      `/v1/orders/${between(1, 50)}`,
      "/nothing",
    ]);
    return { kind: "pipelined", method: pick(["GET", "GET", "HEAD"]), target, headers: this.#headers() };
  }

  /** The key, and other headers that clients may send. */
  #headers(): Headers {
    const { chance, pick } = bound(this.#random);
    const headers: Headers = [["Authorization", `Bearer ${this.#keys.full}`]];
    if (chance(0.1)) headers.push(["Accept-Encoding", pick(ENCODINGS)]);
    if (chance(0.1)) headers.push(["Origin", pick(["https://shop.example", "null", "", "x y", "*"])]);
    if (chance(0.1))
      headers.push([
        "X-Request-Id",
        pick(["a", "~".repeat(128), "a".repeat(129), "a b", "é", '{"a":1}', "", "\x80"]),
      ]);
    if (chance(0.05))
      headers.push([
        pick(["X-Forwarded-For", "Accept", "Cookie", "User-Agent", "Range", "If-Match"]),
        pick(["1.2.3.4", "*/*", "", "x".repeat(5000), "bytes=0-1", "\xe9\xff"]),
      ]);
    return headers;
  }

  #listTarget(): string {
    return this.#random.chance(0.95)
      ? "/v1/pets"
      : `/v1/pets${this.#random.pick(["?", "?limit=0", "?x=%41", "?x=%zz"])}`;
  }

  /** A request that HTTP itself forbids. */
  #refusable(): RawTurn {
    const { pick } = bound(this.#random);
    const bytes = encode(this.#storable(), this.#random).toString("latin1");
    const end = bytes.indexOf("\r\n\r\n") + 2;
    const [head, body] = [bytes.slice(0, end), bytes.slice(end + 2)];
    const inHead = (field: string) => `${head}${field}\r\n\r\n${body}`;
    const [status, text] = pick<() => [number, string]>([
      () => [400, inHead("Transfer-Encoding: chunked")],
      () => [400, inHead(`Content-Length: ${this.#random.below(1000) + 10_000}`)],
      () => [400, inHead("Transfer-Encoding: gzip")],
      () => [400, inHead("X-Text: a\r\n b")],
      () => [400, inHead("X-Text : a")],
      () => [400, inHead("X-Te\0xt: a")],
      () => [400, inHead("X-Text: a\0b")],
      () => [400, inHead("X-Text: a\nb: c")],
      () => [400, inHead("Host: other")],
      () => [400, `${head.replace(/Host: [^\r]*\r\n/, "")}\r\n${body}`],
      () => [
        400,
        `${head.replace(/Host: [^\r]*/, `Host: ${pick(["a b", "a/b", "a@b", "[::1", "a:b:c", "\xe9"])}`)}\r\n${body}`,
      ],
      () => [
        400,
        head.replace(/Content-Length: [^\r]*/, "Transfer-Encoding: chunked") +
          pick(["\r\nxyz\r\n\r\n", "\r\n5\r\nabcdefg\r\n0\r\n\r\n", "\r\n-1\r\n\r\n", "\r\n5 \r\nabcde\r\n"]),
      ],
      () => [431, inHead(`X-Text: ${"a".repeat(20_000)}`)],
      () => [
        505,
        `${head.replace("HTTP/1.1", pick(["HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "http/1.1", "HTTP/1.1 "]))}\r\n${body}`,
      ],
    ])();
    return { ...raw("forbidden", Buffer.from(text, "latin1"), 0), refusedWith: [status] };
  }

  /** A request of which the bytes were altered anywhere. */
  #mutated(): RawTurn {
    const base = this.#random.pick([() => this.#storable(), () => this.#list(), () => this.#item()])();
    const bytes = mutate(encode(base, this.#random), this.#random);
    return raw("altered bytes", bytes, base.method === "POST" ? 4 : 1);
  }

  /** The beginning of a request, cut off anywhere. */
  #torn(): Buffer {
    const bytes = encode(this.#storable(), this.#random);
    return bytes.subarray(0, this.#random.below(bytes.length));
  }

  /** A create without a retry key, so that nothing is known of it afterwards but its animal. */
  #storable(): FuzzRequest {
    const headers: Headers = [
      ["Authorization", `Bearer ${this.#keys.full}`],
      ["Content-Type", "application/json"],
    ];
    return { kind: "storable", method: "POST", target: "/v1/pets", headers, body: plausible(this.#random) };
  }
}

function one(request: FuzzRequest): Turn {
  return { requests: [request] };
}

function raw(kind: string, bytes: Buffer, doubtful: number): RawTurn {
  return { kind, bytes, doubtful };
}

/** The methods of a random source, bound to it. */
function bound(random: Random) {
  return {
    below: random.below.bind(random),
    between: random.between.bind(random),
    chance: random.chance.bind(random),
    pick: random.pick.bind(random),
    weighted: random.weighted.bind(random),
  };
}
