import { expect, test } from "bun:test";
import { join } from "node:path";
import { startBrowser } from "../browser/browser.ts";
import { temporaryFolder } from "../support/folder.ts";
import { requiredProgram } from "../support/installed-programs.ts";
import type { Service } from "../support/service.ts";
import { buildWithProgram } from "./built-client.ts";
import { EXPECTED, runJourney } from "./run-journey.ts";
import { startFeed } from "./start-feed.ts";

// The client as it ships does the same in every runtime. Deno's turn is in suites/clients.

test("Node", async () => {
  expect(await runJourney([requiredProgram("node")])).toEqual(EXPECTED);
});

test("Bun", async () => {
  expect(await runJourney([process.execPath])).toEqual(EXPECTED);
});

test("a page of another origin in Chromium", async () => {
  using folder = temporaryFolder();
  await buildWithProgram(folder.path, "journey.ts");
  await using service = await startFeed();
  using shop = serveFiles(folder.path);
  await using browser = await startBrowser();
  const { page } = await browser.open(shop.address);
  expect(await page.evaluate(journeyOfPage, destinationOf(service))).toEqual(EXPECTED);
});

async function journeyOfPage(destination: { baseUrl: string; apiKey: string }): Promise<string[]> {
  const [module, program] = ["/client/main.js", "/journey.js"];
  const [client, { journey }] = await Promise.all([import(module), import(program)]);
  return journey(client, destination);
}

function destinationOf({ address, key }: Service) {
  return { baseUrl: `${address}/v1`, apiKey: key };
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
