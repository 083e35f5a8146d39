import { ENVIRONMENTS, type Environment } from "./environment.ts";
import { rfc3339 } from "./time.ts";

/** A new key without explicit scopes gets all of these. Existing keys never gain a scope. */
export const SCOPES = ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"] as const;

/** What a key may do. */
export type Scope = (typeof SCOPES)[number];

/** What a store knows of a key, without the key itself. Times are milliseconds since 1970, UTC. */
export interface ApiKey {
  readonly id: number;
  /**
   * The id of the first key of its line. A line is a key and the successors that rotation gave it: the keys of one client.
   * A key that was not rotated from another is the first of its line.
   */
  readonly line: number;
  /** The only environment in which the key works. */
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key, with its last use. */
export interface ListedKey extends ApiKey {
  /** The last day, as `dayOf` counts, on which a request was made with the key; `null` if there is none. */
  readonly lastUsedDay: number | null;
}

/** The days on which keys were used, by the id of the key. */
export type KeyUseDays = ReadonlyMap<number, number>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The number of days from 1970 to a time (milliseconds since 1970), UTC. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Writes a day as RFC 3339's full-date: `2026-11-23`. */
export function dateOfDay(day: number): string {
  return rfc3339(day * DAY_MS).slice(0, "2026-11-23".length);
}

/** The data to store for a new key. */
export interface NewApiKey {
  readonly environment: Environment;
  readonly hash: Uint8Array;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

const PREFIXES: Record<Environment, string> = { production: "as_live_", staging: "as_test_" };

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62 ** 30 is 178 bits: above the 160 that a key must have. */
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
/** The pattern for secret scanners. The last six characters are the checksum. */
export const API_KEY_PATTERN = /^as_(?:live|test)_[0-9A-Za-z]{36}$/;

/** A source of random bytes: `crypto.getRandomValues`, or a seeded one in tests. */
type RandomBytes = (length: number) => Uint8Array;

/** Generates a key, to be shown once: a prefix, 30 random characters and a checksum of 6. */
export function generateApiKey(environment: Environment, randomBytes: RandomBytes): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the last multiple of 62 in a byte. Higher bytes would favour the first characters.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += BASE62[byte % 62];
    }
  }
  const body = PREFIXES[environment] + random;
  return body + checksum(body);
}

/** A character as it is, or percent-encoded by its code, once or several times: `%61` and `%2561` are an `a`. */
function encodable(plain: string, codes: string): string {
  return `(?:${plain}|%(?:25)*(?:${codes}))`;
}

function encodableText(text: string): string {
  const code = (character: string) => character.charCodeAt(0).toString(16);
  return [...text].map((each) => encodable(each, `${code(each)}|${code(each.toUpperCase())}`)).join("");
}

/**
 * A text that starts like a key, however its characters are percent-encoded. It goes on after a `_`, since the start of
 * a second key looks like the end of the first.
 */
const LIKE_API_KEY = new RegExp(
  `${encodableText("as_")}(?:(${encodableText("live")})|${encodableText("test")})${encodableText("_")}` +
    `${encodable("[0-9a-z_]", "3[0-9]|[46][1-9a-f]|[57][0-9a]|5f")}+`,
  "gi",
);

/** Masks everything in a text that may be a key, or part of a key, so that the text can be logged. */
export function maskApiKeys(text: string): string {
  return text.replace(LIKE_API_KEY, (_, live) => `${live === undefined ? "as_test" : "as_live"}_***`);
}

/** Whether a text has the shape of a key and a correct checksum. A mistyped key thus needs no look-up in the store. */
export function isApiKey(text: string): boolean {
  return API_KEY_PATTERN.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** The environment of a key, by its prefix. The key works in no other environment. */
export function environmentOf(key: string): Environment | undefined {
  return ENVIRONMENTS.find((environment) => key.startsWith(PREFIXES[environment]));
}

/** The SHA-256 of a key. A store keeps the hash instead of the key. */
export function hashApiKey(key: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(key).digest();
}

/** Why a key is refused. */
export const KEY_REFUSALS = ["missing", "malformed", "unknown", "revoked", "expired"] as const;

export type KeyRefusal = (typeof KEY_REFUSALS)[number];

/**
 * Why a key is invalid at a time (milliseconds since 1970); `undefined` if it is valid. A revoked key is invalid whatever
 * the time: the clock may have been ahead when it was revoked.
 */
export function refusalAt(key: ApiKey, now: number): "revoked" | "expired" | undefined {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : undefined;
}

/** CRC-32 in base62, as in GitHub's tokens. */
function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
