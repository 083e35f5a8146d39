import { mutate, plausible } from "./bodies.ts";
import { getAnimal, listAnimals } from "./generate-animals.ts";
import { encode, type FuzzRequest } from "./request.ts";
import type { Source } from "./source.ts";

/** Raw bytes to send, with the responses that they may get. */
export interface RawTurn {
  readonly kind: string;
  readonly bytes: Buffer;
  /** The status that the single response must have before the connection closes; without it any responses are allowed. */
  readonly refusedWith?: number;
  /** The most animals that these bytes may add without our knowing. */
  readonly doubtful: number;
}

const NO_HOSTS = ["a b", "a/b", "a@b", "[::1", "a:b:c", "\xe9"];
const NO_VERSIONS = ["HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "http/1.1", "HTTP/1.1 "];
const NO_CHUNKS = ["xyz\r\n\r\n", "5\r\nabcdefg\r\n0\r\n\r\n", "-1\r\n\r\n", "5 \r\nabcde\r\n"];

/** A request that HTTP itself forbids. */
export function forbidden(source: Source): RawTurn {
  const { random } = source;
  const { below, pick } = random;
  const text = encode(storable(source), random).toString("latin1");
  const end = text.indexOf("\r\n\r\n") + 2;
  const [head, body] = [text.slice(0, end), text.slice(end + 2)];
  const withField = (field: string) => `${head}${field}\r\n\r\n${body}`;
  const withHead = (from: string | RegExp, to: string, rest = body) => `${head.replace(from, to)}\r\n${rest}`;
  const [refusedWith, bytes] = pick<() => readonly [status: number, bytes: string]>([
    () => [400, withField("Transfer-Encoding: chunked")],
    () => [400, withField(`Content-Length: ${below(1000) + 10_000}`)],
    () => [400, withField("Transfer-Encoding: gzip")],
    () => [400, withField("X-Text: a\r\n b")],
    () => [400, withField("X-Text : a")],
    () => [400, withField("X-Te\0xt: a")],
    () => [400, withField("X-Text: a\0b")],
    () => [400, withField("X-Text: a\nb: c")],
    () => [400, withField("Host: other")],
    () => [400, withHead(/Host: [^\r]*\r\n/, "")],
    () => [400, withHead(/Host: [^\r]*/, `Host: ${pick(NO_HOSTS)}`)],
    () => [400, withHead(/Content-Length: [^\r]*/, "Transfer-Encoding: chunked", pick(NO_CHUNKS))],
    () => [431, withField(`X-Text: ${"a".repeat(20_000)}`)],
    () => [505, withHead("HTTP/1.1", pick(NO_VERSIONS))],
  ])();
  return { kind: "forbidden", bytes: Buffer.from(bytes, "latin1"), doubtful: 0, refusedWith };
}

/** A request with some of its bytes altered. */
export function altered(source: Source): RawTurn {
  const { random } = source;
  const request = random.pick([storable, listAnimals, getAnimal])(source);
  const bytes = mutate(encode(request, random), random);
  return { kind: "altered bytes", bytes, doubtful: request.method === "POST" ? 4 : 1 };
}

/** Any bytes, or the beginning of a request. */
export function garbled(source: Source): RawTurn {
  const { random } = source;
  const { below, chance } = random;
  const whole = chance(0.5) ? random.bytes(300) : encode(storable(source), random);
  return { kind: "bytes", bytes: whole.subarray(0, below(whole.length)), doubtful: 0 };
}

/** A create without an `Idempotency-Key`, so that nothing is known of it afterwards but its animal. */
function storable({ random, keys }: Source): FuzzRequest {
  return {
    kind: "storable",
    method: "POST",
    target: "/v1/pets",
    headers: [
      ["Authorization", `Bearer ${keys.full}`],
      ["Content-Type", "application/json"],
    ],
    body: plausible(random),
  };
}
