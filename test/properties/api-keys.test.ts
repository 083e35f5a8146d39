import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  API_KEY_PATTERN,
  generateApiKey,
  hashApiKey,
  isApiKey,
  maskApiKeys,
} from "../../src/domain/api-key.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX_LENGTH = "as_live_".length;
const RANDOM_LENGTH = 30;

const environment = fc.constantFrom("production", "staging");
const seed = fc.uint8Array({ minLength: 64, maxLength: 64 });
const key = fc.tuple(environment, seed).map(([environment, seed]) => keyFrom(environment, seed));

describe("a key", () => {
  test("has its environment's prefix, the published shape and a checksum that fits", () => {
    fc.assert(
      fc.property(environment, seed, (environment, seed) => {
        const key = keyFrom(environment, seed);
        expect(key).toMatch(API_KEY_PATTERN);
        expect(key.startsWith(environment === "production" ? "as_live_" : "as_test_")).toBe(true);
        expect(key.length).toBe(PREFIX_LENGTH + RANDOM_LENGTH + 6);
        expect(isApiKey(key)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("carries CRC-32 of all before it, in base62", () => {
    fc.assert(
      fc.property(key, (key) => {
        const digits = [...key.slice(-6)].map((digit) => BASE62.indexOf(digit));
        expect(digits.reduce((sum, digit) => sum * 62 + digit, 0)).toBe(crc32(key.slice(0, -6)));
      }),
      { numRuns: 500 },
    );
  });

  test("fails its checksum when any one character is another", () => {
    fc.assert(
      fc.property(key, (key) => {
        for (let at = 0; at < key.length; at++) {
          for (const character of `${BASE62}_-é `) {
            if (character === key[at]) continue;
            expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  test("fails its checksum when any two neighbours change places", () => {
    fc.assert(
      fc.property(key, (key) => {
        for (let at = 0; at + 1 < key.length; at++) {
          const [one = "", other = ""] = key.slice(at, at + 2);
          if (one === other) continue;
          expect(isApiKey(key.slice(0, at) + other + one + key.slice(at + 2))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("fails when it is cut, lengthened, or in other letters", () => {
    fc.assert(
      fc.property(key, fc.string({ minLength: 1, maxLength: 3 }), (key, more) => {
        const changes = [key.slice(1), key.slice(0, -1), key + more, more + key, key.toUpperCase(), ""];
        for (const changed of changes) expect(isApiKey(changed)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the random part of a key", () => {
  test("is at least 160 bits", () => {
    const random = keyFrom("production", new Uint8Array()).slice(PREFIX_LENGTH, -6);
    expect(random.length * Math.log2(62)).toBeGreaterThan(160);
  });

  test("depends on every byte: another byte makes another key", () => {
    const bytes = fc.uint8Array({ min: 0, max: 247, minLength: RANDOM_LENGTH, maxLength: RANDOM_LENGTH });
    fc.assert(
      fc.property(bytes, fc.nat(RANDOM_LENGTH - 1), fc.integer({ min: 1, max: 61 }), (bytes, at, step) => {
        const other = Uint8Array.from(bytes, (byte, index) => (index === at ? (byte + step) % 248 : byte));
        expect(keyFrom("production", other)).not.toBe(keyFrom("production", bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test("favours no character: every one stands for four bytes, and the rest are drawn again", () => {
    const bytesOf = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      // Eight bytes above 247 belong to no character: what is drawn after them counts, here zeros.
      const random = keyFrom("production", Uint8Array.of(byte)).slice(PREFIX_LENGTH);
      if (byte < 248) bytesOf.set(random.charAt(0), (bytesOf.get(random.charAt(0)) ?? 0) + 1);
      else expect(random.slice(0, RANDOM_LENGTH)).toBe("0".repeat(RANDOM_LENGTH));
    }
    expect([...bytesOf.keys()].sort()).toEqual([...BASE62].sort());
    expect(new Set(bytesOf.values())).toEqual(new Set([4]));
  });
});

test("the store gets only the SHA-256 of a key", () => {
  const hash = Buffer.from(hashApiKey("as_live_example")).toString("hex");
  expect(hash).toBe("22e786a7bd084efbb7b6dcb39dc3591ac29ce1416685b2c3890985ccb0e54993");
});

/** The key made from bytes as if they were random, and zeros when they are used up. */
function keyFrom(environment: "production" | "staging", bytes: Uint8Array): string {
  let at = 0;
  return generateApiKey(environment, (length) => {
    const drawn = new Uint8Array(length);
    drawn.set(bytes.subarray(at, at + length));
    at += length;
    return drawn;
  });
}

/** CRC-32 (ISO 3309) as the standard has it, bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

describe("a key in a text to be logged", () => {
  /** A character as it is, or percent-encoded up to three times. */
  const written = (character: string) =>
    fc.tuple(fc.nat({ max: 3 }), fc.boolean()).map(([times, isUpper]) => {
      if (times === 0) return character;
      const hex = character.charCodeAt(0).toString(16);
      return `%${"25".repeat(times - 1)}${isUpper ? hex.toUpperCase() : hex}`;
    });
  const escaped = key.chain((key) =>
    fc.tuple(...[...key].map(written)).map((characters) => [key, characters.join("")] as const),
  );

  test("is masked, however its characters are percent-encoded", () => {
    fc.assert(
      fc.property(escaped, ([key, text]) => {
        const masked = `/v1/${key.slice(0, 7)}_***/x`;
        expect(maskApiKeys(`/v1/${text}/x`)).toBe(masked);
      }),
      { numRuns: 1000 },
    );
  });

  test("is masked where several stand in a row", () => {
    fc.assert(
      fc.property(fc.array(escaped, { minLength: 2, maxLength: 4 }), (keys) => {
        const [[first = ""] = []] = keys;
        const text = keys.map(([, text]) => text).join("");
        expect(maskApiKeys(`/v1/${text}/x`)).toBe(`/v1/${first.slice(0, 7)}_***/x`);
      }),
      { numRuns: 1000 },
    );
  });

  test("costs no more than the text's length, and other texts stay as they are", () => {
    // A search that began again at every character would not end.
    for (const part of ["%25", "as_", "%61s", "as_live_%", "as%255flive%5f."]) {
      const text = part.repeat(500_000);
      expect(maskApiKeys(text)).toBe(text);
    }
    for (const text of ["/v1/pets?limit=1", "has_lived_", "as_lives_1", "%61s%2"])
      expect(maskApiKeys(text)).toBe(text);
  });
});
