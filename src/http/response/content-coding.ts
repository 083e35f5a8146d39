import { brotliCompressSync, constants } from "node:zlib";

/** The codings we write, the preferred first, at levels that cost a page some tens of microseconds. */
const ENCODERS = {
  zstd: (body: Uint8Array<ArrayBuffer>) => Bun.zstdCompressSync(body, { level: 3 }),
  br: (body: Uint8Array<ArrayBuffer>) =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Uint8Array<ArrayBuffer>) => Bun.gzipSync(body, { level: 6 }),
} as const;

export type ContentCoding = keyof typeof ENCODERS;

const CODINGS = Object.keys(ENCODERS) as ContentCoding[];

/** A weight of RFC 9110, section 12.4.2, after the coding it belongs to. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * The coding that an `Accept-Encoding` likes best (RFC 9110, section 12.5.3); `undefined` where it
 * names none of ours, or prefers none.
 *
 * @param worthwhile whether there is something to gain; if not, only a client that forbids the plain
 *   text gets another
 */
export function chooseCoding(accepted: string, worthwhile: boolean): ContentCoding | undefined {
  const weights = new Map<string, number>();
  for (const item of accepted.split(",")) {
    const [, coding, weight = "1"] = PREFERENCE.exec(item) ?? [];
    if (coding) weights.set(coding.toLowerCase(), Number(weight));
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  let best: ContentCoding | undefined;
  for (const coding of CODINGS) {
    if (weightOf(coding) > (best ? weightOf(best) : 0)) best = coding;
  }
  const forbidsPlain = (weights.get("identity") ?? weights.get("*")) === 0;
  if (!worthwhile && !forbidsPlain) return undefined;
  // `identity` is acceptable unless said otherwise, but preferred only when it is named with more weight.
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

export function encode(body: Uint8Array, coding: ContentCoding): Uint8Array {
  return ENCODERS[coding](body as Uint8Array<ArrayBuffer>);
}
