import { brotliCompressSync, constants } from "node:zlib";
import { CONTENT_CODINGS, type ContentCoding } from "../../operations/entity-tag.ts";

/** How much time a compression may take. */
export type Effort = keyof typeof LEVELS;

/** The highest level of zlib. libdeflate goes up to 12. */
const ZLIB_LEVEL_MAX = 9;
/**
 * The levels of the encoders. `quick` costs a page of animals some tens of microseconds. `thorough` costs the largest script
 * 10 ms, once, and makes it smaller by a tenth.
 */
const LEVELS = {
  quick: { zstd: 3, br: 4, gzip: 6 },
  thorough: { zstd: 15, br: 6, gzip: 12 },
} as const satisfies Record<string, Record<ContentCoding, number>>;

type Encode = (body: Uint8Array<ArrayBuffer>, level: number) => Uint8Array;
const ENCODERS: Readonly<Record<ContentCoding, Encode>> = {
  zstd: (body, level) => Bun.zstdCompressSync(body, { level }),
  br: (body, level) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (body, level) =>
    level > ZLIB_LEVEL_MAX
      ? Bun.gzipSync(body, { level: level as 12, library: "libdeflate" })
      : Bun.gzipSync(body, { level: level as 9 }),
};

/** A coding and its weight (RFC 9110, section 12.4.2). */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * The coding that an `Accept-Encoding` prefers (RFC 9110, section 12.5.3); `undefined` if it names no supported coding,
 * or prefers the plain text.
 *
 * @param worthwhile whether compression saves anything; if not, only a client that forbids the plain text gets a coding
 */
export function chooseCoding(accepted: string, worthwhile: boolean): ContentCoding | undefined {
  const weights = new Map<string, number>();
  for (const item of accepted.split(",")) {
    const [, coding, weight = "1"] = PREFERENCE.exec(item) ?? [];
    if (coding) weights.set(coding.toLowerCase(), Number(weight));
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  let best: ContentCoding | undefined;
  for (const coding of CONTENT_CODINGS) {
    if (weightOf(coding) > (best ? weightOf(best) : 0)) best = coding;
  }
  const forbidsPlain = (weights.get("identity") ?? weights.get("*")) === 0;
  if (!worthwhile && !forbidsPlain) return undefined;
  // `identity` is acceptable by default, but preferred only if it is named with more weight.
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

/** Compresses a body. */
export function encode(body: Uint8Array, coding: ContentCoding, effort: Effort): Uint8Array {
  return ENCODERS[coding](body as Uint8Array<ArrayBuffer>, LEVELS[effort][coding]);
}
