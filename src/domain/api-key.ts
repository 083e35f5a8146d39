import { ENVIRONMENTS, type Environment } from "./environment.ts";

/** A key that is made without scopes gets all of these; a key that exists gains none. */
export const SCOPES = ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"] as const;

/** What a key may do. */
export type Scope = (typeof SCOPES)[number];

/** A key as the store knows it: never the key itself. Times are milliseconds since 1970, UTC. */
export interface ApiKey {
  readonly id: number;
  /**
   * The id of the first key of its line: a key that was rotated and its successors, which belong to one client. A
   * key that follows none is the first of its own.
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

/** What is to be stored of a new key. */
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
/** The shape for secret scanners to look for; the last six characters are the checksum. */
export const API_KEY_PATTERN = /^as_(?:live|test)_[0-9A-Za-z]{36}$/;

/** Fills an array with random bytes: `crypto.getRandomValues`, or a seeded stand-in. */
type RandomBytes = (length: number) => Uint8Array;

/** Makes a new key, to be shown once: prefix, 30 random characters, 6 of checksum. */
export function generateApiKey(environment: Environment, randomBytes: RandomBytes): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the last multiple of 62 in a byte: what lies above would favour the first characters.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += BASE62[byte % 62];
    }
  }
  const body = PREFIXES[environment] + random;
  return body + checksum(body);
}

/** Anything that begins as a key does, also where its underscores are percent-encoded. */
const LIKE_API_KEY = /as(?:_|%5f)(?:live|test)(?:_|%5f)[0-9a-z]+/gi;

/** Hides what may be a key, or part of one, in a text that is to be kept. */
export function maskApiKeys(text: string): string {
  return text.replace(LIKE_API_KEY, (found) => `${found.slice(0, 7)}_***`);
}

/** Whether a text has the shape of a key and its checksum fits: a typing error needs no look-up. */
export function isApiKey(text: string): boolean {
  return API_KEY_PATTERN.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** The environment that a key was made for, by its prefix: it works in no other. */
export function environmentOf(key: string): Environment | undefined {
  return ENVIRONMENTS.find((environment) => key.startsWith(PREFIXES[environment]));
}

/** The SHA-256 of a key: all that a store keeps of it. */
export function hashApiKey(key: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(key).digest();
}

/** Why a key is refused. */
export type KeyRefusal = "missing" | "malformed" | "unknown" | "revoked" | "expired";

/** Why a key may not be used at a time (milliseconds since 1970); `undefined`: it may. */
export function refusalAt(key: ApiKey, now: number): "revoked" | "expired" | undefined {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : undefined;
}

/** CRC-32 in base62, as GitHub's tokens carry it. */
function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
