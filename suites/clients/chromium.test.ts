import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startBrowser } from "../../test/browser/browser.ts";
import { buildWithProgram } from "../../test/client/built-client.ts";
import { destinationOf, JOURNEYS } from "../../test/client/run-journey.ts";
import { temporaryFolder } from "../../test/support/folder.ts";

// The client as it ships does in a page what it does in Node (suites/clients/runtimes.test.ts).

describe.each(JOURNEYS)("the $program in", ({ program, start, expected }) => {
  test("a page of another origin in Chromium", async () => {
    using folder = temporaryFolder();
    await buildWithProgram(folder.path, `${program}.ts`);
    await using service = await start();
    using shop = serveFiles(folder.path);
    await using browser = await startBrowser();
    const { page } = await browser.open(shop.address);
    const given = { ...destinationOf(service), program: `/${program}.js` };
    // A page may not read a response without CORS headers, as a proxy's 502 is.
    const readable = expected.map((line) => line.replace("UnexpectedResponseError", "ConnectionError"));
    expect(await page.evaluate(journeyOfPage, given)).toEqual(readable);
  });
});

async function journeyOfPage(given: { baseUrl: string; apiKey: string; program: string }): Promise<string[]> {
  const [module, program] = ["/client/main.js", given.program];
  const [client, { journey }] = await Promise.all([import(module), import(program)]);
  return journey(client, given);
}

function serveFiles(folder: string): Disposable & { readonly address: string } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname.endsWith(".js")) return new Response(Bun.file(join(folder, pathname)));
      return new Response("<!doctype html><title>A shop</title>", {
        headers: { "content-type": "text/html" },
      });
    },
  });
  return { address: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}
