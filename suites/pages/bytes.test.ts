import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Service, startService } from "../../test/support/service.ts";

/**
 * Thousands of bytes (gzip) before a page shows what it is for: its document, and the scripts and styles that it loads at
 * once. Dialogs, search, the feed and live samples come later.
 */
const BOUNDS_KB = { "/": 36, "/docs": 40 } as const;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A file of the service as it travels, with its size. */
async function travelled(url: URL): Promise<{ readonly bytes: number; readonly text: string }> {
  const response = await fetch(url, { headers: { "accept-encoding": "gzip" }, decompress: false });
  expect([url.pathname, response.status]).toEqual([url.pathname, 200]);
  const body = new Uint8Array(await response.arrayBuffer());
  const isPacked = response.headers.get("content-encoding") === "gzip";
  return {
    bytes: body.byteLength,
    text: new TextDecoder().decode(isPacked ? Bun.gunzipSync(body) : body),
  };
}

test("the console and the reference keep to their bytes", async () => {
  for (const [path, bound] of Object.entries(BOUNDS_KB)) {
    const url = new URL(path, service.address);
    const page = await travelled(url);
    const files = [...page.text.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)];
    const sizes = await Promise.all(
      files.map(async ([, file = ""]) => (await travelled(new URL(file, url))).bytes),
    );
    expect(sizes.length).toBe(3);
    const sum = sizes.reduce((all, bytes) => all + bytes, page.bytes);
    console.log(`${path}: ${sum} bytes, of which the document has ${page.bytes}`);
    expect(sum).toBeLessThanOrEqual(bound * 1000);
  }
});
