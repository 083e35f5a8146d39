import { CONTENT_CODINGS, MEDIA_TYPES } from "./media-types.ts";
import type { Source } from "./source.ts";

type Headers = [name: string, value: string][];

const ENCODINGS = [
  ...["gzip", "br", "zstd", "*", "identity", "deflate", "gzip, br;q=0.5", "zstd;q=0, gzip", "gzip;q=0"],
  ...["gzip;q=2", ";;q", "br;q=1.000, *;q=0.1"],
];
const ORIGINS = ["https://shop.example", "null", "", "x y", "*"];
const REQUEST_IDS = ["a", "~".repeat(128), "a".repeat(129), "a b", "é", '{"a":1}', "", "\x80"];
const IGNORED = ["X-Forwarded-For", "Accept", "Cookie", "User-Agent", "Range"];
const IGNORED_VALUES = ["1.2.3.4", "*/*", "", "x".repeat(5000), "bytes=0-1", "\xe9\xff"];

/** The key, and other headers that clients may send. */
export function usualHeaders({ random, keys }: Source): Headers {
  const { chance, pick } = random;
  const headers: Headers = [["Authorization", `Bearer ${keys.full}`]];
  if (chance(0.1)) headers.push(["Accept-Encoding", pick(ENCODINGS)]);
  if (chance(0.1)) headers.push(["Origin", pick(ORIGINS)]);
  if (chance(0.1)) headers.push(["X-Request-Id", pick(REQUEST_IDS)]);
  if (chance(0.05)) headers.push([pick(IGNORED), pick(IGNORED_VALUES)]);
  return headers;
}

/** The headers of a request with a body, mostly right. */
export function bodyHeaders(source: Source, types: readonly string[] = []): Headers {
  const { chance, pick } = source.random;
  const headers = usualHeaders(source);
  const type = chance(0.88) ? "application/json" : pick([...MEDIA_TYPES.keys(), ...types]);
  if (!chance(0.02)) headers.push(["Content-Type", type]);
  if (chance(0.03)) headers.push(["Content-Encoding", pick([...CONTENT_CODINGS.keys()])]);
  if (chance(0.03)) headers.push(["Expect", "100-continue"]);
  return headers;
}

/** The headers of a request for something that may be unchanged. */
export function readHeaders(source: Source, tag = '"AAAAAAAAAAAAAAAAAAAAAA"'): Headers {
  const { chance, pick } = source.random;
  const tags = [tag, tag, `W/${tag}`, `"a", ${tag}`, "*", '"a"', "a", "", '"', "W/*"];
  return [
    ...usualHeaders(source),
    ...(chance(0.2) ? [["If-None-Match", pick(tags)] as Headers[number]] : []),
  ];
}

/** A new unique `Idempotency-Key`, sometimes an invalid one. */
export function idempotencyKey({ random, unique }: Source): string {
  const { between, pick, weighted } = random;
  const fresh = unique();
  return weighted<() => string>([
    [6, () => fresh],
    [1, () => fresh.padEnd(255, pick(["~", "!", "a b"]))],
    [1, () => fresh.padEnd(between(256, 300), "x")],
    [1, () => ""],
    [1, () => `${fresh}, x`],
    [1, () => `${fresh}${pick(["\t", "é", "\x80", "\xff"])}x`],
  ])();
}
