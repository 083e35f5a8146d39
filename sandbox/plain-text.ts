import { brotliDecompressSync } from "node:zlib";

/** Whether a response is a stream of events, which has no end to wait for. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type") === "text/event-stream";
}

/** The text of a response as it was before compression. The response can still be sent. */
export async function plainTextOf(response: Response): Promise<string> {
  const bytes = (await response.clone().bytes()) as Uint8Array<ArrayBuffer>;
  return Buffer.from(decoded(bytes, response.headers.get("content-encoding"))).toString();
}

function decoded(bytes: Uint8Array<ArrayBuffer>, coding: string | null): Uint8Array {
  switch (coding) {
    case "zstd":
      return Bun.zstdDecompressSync(bytes);
    case "br":
      return brotliDecompressSync(bytes);
    case "gzip":
      return Bun.gunzipSync(bytes);
    default:
      return bytes;
  }
}
