import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { STABILITIES } from "../../src/domain/stability.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import type { BuildSite, SitePlace } from "../../web/contract.ts";
import type { SearchEntry } from "../../web/model/search-entry.ts";
import { find } from "../../web/reference/find.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runCommand } from "../support/run-command.ts";
import { type Service, startService } from "../support/service.ts";

/** A page with all that it loads, compressed: what a browser with an empty cache receives. */
const PAGE_MAX_BYTES = 100_000;
const LINK = /(?:src|href|data-search)="([^"]*)"/g;

/** Every address on a page that leads to this service, as a path with its fragment. */
function linksOf(html: string, path: string): string[] {
  return [...html.matchAll(LINK)]
    .map(([, href = ""]) => new URL(href.replaceAll("&amp;", "&"), `http://shop${path}`))
    .filter(({ host }) => host === "shop")
    .map(({ pathname, hash }) => pathname + hash);
}

async function crawl(service: Service): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const queue = ["/", "/docs"];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (pages.has(path)) continue;
    const response = await fetch(service.address + path);
    const text = await response.text();
    expect([path, response.status]).toEqual([path, 200]);
    pages.set(path, text);
    if (response.headers.get("content-type")?.startsWith("text/html")) {
      queue.push(...linksOf(text, path).map((link) => link.replace(/#.*/, "")));
    }
  }
  return pages;
}

let service: Service;
/** What can be reached by links, by its path. */
let pages: Map<string, string>;
beforeAll(async () => {
  service = await startService();
  pages = await crawl(service);
});
afterAll(() => service[Symbol.asyncDispose]());

test("every link on every page leads to an existing page, and every fragment to a place on it", async () => {
  expect(pages.size).toBeGreaterThan(30);
  const broken: string[] = [];
  for (const [path, html] of pages) {
    if (!html.startsWith("<!doctype html>")) continue;
    for (const link of linksOf(html, path)) {
      const [target = "", fragment] = link.split("#");
      if (fragment !== undefined && !pages.get(target)?.includes(`id="${decodeURIComponent(fragment)}"`)) {
        broken.push(`${path} -> ${link}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

test.each(STABILITIES)("a guide is shown where its operations are: STABILITY=%s", async (level) => {
  const operations = operationsOffered(level);
  await using service = await startService({ operations });
  const statusOf = async (guide: string) =>
    (await fetch(`${service.address}/docs/guides/${guide}`, { headers: { accept: "text/html" } })).status;
  const offers = (id: string) => (operations.some((operation) => operation.id === id) ? 200 : 404);
  expect(await statusOf("retries")).toBe(200);
  expect(await statusOf("orders")).toBe(offers("listOrders"));
  expect(await statusOf("events")).toBe(offers("listEvents"));
});

test("the guides for callers name the service's own address", async () => {
  for (const guide of ["start", "caching", "events", "orders", "typescript"]) {
    const text = (pages.get(`/docs/guides/${guide}`) ?? "").replaceAll(/<[^>]*>/g, "");
    expect([guide, text.includes("127.0.0.1:8080"), text.includes(service.address)]).toEqual([
      guide,
      false,
      true,
    ]);
  }
});

test("samples call the address of their own environment", async () => {
  const servers = ["production", "staging"].map((name) => ({
    url: `https://${name}.example.com/v1`,
    description: name === "staging" ? "Staging" : "Production",
  }));
  await using staging = await startService({ environment: "staging", servers });
  const html = await (await fetch(`${staging.address}/docs`)).text();
  expect(html).toContain("https://staging.example.com/v1/pets?");
  expect(html).not.toContain("https://production.example.com/v1/pets?");
});

test("llms.txt leads to the Markdown of every page, and each link in that to another", async () => {
  const linksIn = (path: string, text: string) =>
    [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, href = ""]) => new URL(href, service.address + path))
      .filter(({ origin }) => origin === service.address);
  const text = pages.get("/llms.txt") ?? "";
  expect(text).toStartWith("# ");
  const found = linksIn("/llms.txt", text);
  expect(found.map(({ pathname }) => pathname)).toEqual(
    expect.arrayContaining(["/docs/reference.md", "/docs/errors.md", "/docs/guides/sandbox.md"]),
  );
  for (const { href, pathname } of found) {
    const markdown = await (await fetch(href)).text();
    if (!pathname.endsWith(".md")) continue;
    for (const link of linksIn(pathname, markdown)) {
      expect([pathname, link.pathname, (await fetch(link)).status]).toEqual([pathname, link.pathname, 200]);
    }
  }
  const reference = pages.get("/docs/reference.md") ?? "";
  for (const words of [
    "`GET /pets/{petId}`",
    "deprecated, removed on 2030-12-05",
    "9223372036854775807",
    "## Order",
  ])
    expect(reference).toContain(words);
});

test("what helps neither to use nor to operate the service is no guide", async () => {
  for (const file of ["performance", "comparison", "glossary", "internals", "debugging"])
    expect([file, (await fetch(`${service.address}/docs/guides/${file}`)).status]).toEqual([file, 404]);
});

test("the search index leads to places that exist", async () => {
  const [, index = ""] = [...pages].find(([path]) => path.startsWith("/docs/assets/search-")) ?? [];
  const entries = JSON.parse(index) as { to: string; title: string }[];
  expect(entries.length).toBeGreaterThan(100);
  for (const { to } of entries) {
    const [path, fragment] = `/${to}`.split("#");
    expect([to, pages.has(path ?? "")]).toEqual([to, true]);
    if (fragment) expect([to, pages.get(path ?? "")?.includes(`id="${fragment}"`)]).toEqual([to, true]);
  }
});

/** What people type, and the place that says it. */
const QUESTIONS = {
  "curl first request": "docs/guides/start",
  "how to paginate": "docs/guides/paging",
  "javascript bigint": "docs/guides/typescript",
  "order conflict": "docs/errors/animal_not_available",
  webhooks: "docs/guides/webhooks",
  "webhook signature": "docs/guides/webhooks#check-a-signature",
  "mock server in ci": "docs/guides/sandbox#in-ci",
  "simulate error": "docs/guides/sandbox#faults",
  "rotate key": "docs/guides/operations#rotate-or-revoke-a-key",
  "environment variables": "docs/guides/settings",
  "reverse proxy": "docs/guides/operations#reverse-proxies-load-balancers-and-keep-alive",
  "keep-alive timeout": "docs/guides/operations#reverse-proxies-load-balancers-and-keep-alive",
  https: "docs/guides/operations#tls-certificates-https",
  prometheus: "docs/guides/operations#health-checks-metrics-logs-and-traces",
  opentelemetry: "docs/guides/operations#health-checks-metrics-logs-and-traces",
  "graceful shutdown": "docs/guides/operations#shutdown",
  "port already in use": "docs/guides/operations#port-already-in-use-eaddrinuse",
  eaddrinuse: "docs/guides/operations#port-already-in-use-eaddrinuse",
  rollback: "docs/guides/operations#rollback-or-downgrade",
  backup: "docs/guides/operations#backup-and-restore",
  "pg_dump restore": "docs/guides/data#backup-and-restore-postgresql",
  "no space left": "docs/guides/operations#disk-full",
  "database is locked": "docs/guides/operations#animalstorenotready",
  "import csv": "docs/guides/data#import",
  "delete animal": "docs/guides/data#change-or-delete-animals",
  "sqlite to postgres": "docs/guides/data#move-from-sqlite-to-postgresql",
  "permission denied postgres": "docs/guides/postgresql#rights-permissions",
  "too many connections": "docs/guides/postgresql#connections",
  timeout: "docs/guides/postgresql#deadlines-timeouts",
  "high availability": "docs/guides/postgresql#failover",
  "read replica": "docs/guides/postgresql#reads-from-standbys",
  pgbouncer: "docs/guides/postgresql#poolers",
};

test.each(Object.entries(QUESTIONS))("search has the answer to %p among its first three", (query, place) => {
  const [, index = ""] = [...pages].find(([path]) => path.startsWith("/docs/assets/search-")) ?? [];
  const entries = JSON.parse(index) as SearchEntry[];
  const first = find(entries, query).slice(0, 3);
  expect(first.map(({ entry }) => entry.to)).toContain(place);
});

test("a result of search names the word of the query that it lacks", () => {
  const entry = { to: "guides/proxies", title: "Proxies", kind: "Guide", text: "nginx in front" };
  const missingIn = (query: string) => find([entry], query).map(({ missing }) => missing);
  expect(missingIn("nginx proxies")).toEqual([undefined]);
  expect(missingIn("elegant nginx")).toEqual(["elegant"]);
});

test("each page, with its style and scripts, is below 100 KB compressed", async () => {
  for (const [path, html] of pages) {
    if (!html.startsWith("<!doctype html>")) continue;
    const loaded = linksOf(html, path).filter((link) => link.startsWith("/docs/assets/"));
    let bytes = 0;
    for (const each of new Set([path, ...loaded])) {
      if (each.includes("/search-")) continue;
      const response = await fetch(service.address + each, {
        headers: { "accept-encoding": "gzip" },
        decompress: false,
      });
      bytes += (await response.bytes()).length;
    }
    expect([path, bytes < PAGE_MAX_BYTES || bytes]).toEqual([path, true]);
  }
});

test("a page may run its own scripts, call this service, and nothing else", async () => {
  for (const path of ["/", "/docs", "/docs/errors", "/docs/errors/overloaded", "/docs/guides/operations"]) {
    const { headers } = await fetch(service.address + path);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  }
});

describe("assets", () => {
  test("may be kept for a year, since a change of content changes the name", async () => {
    const html = await (await fetch(`${service.address}/docs`)).text();
    const assets = linksOf(html, "/docs").filter((link) => link.startsWith("/docs/assets/"));
    expect(assets.map((path) => path.replace(/-[\w-]{10}\./, "."))).toEqual([
      "/docs/assets/search.json",
      "/docs/assets/icon.svg",
      "/docs/assets/reference.css",
      "/docs/assets/start.js",
      "/docs/assets/reference.js",
    ]);
    for (const path of assets) {
      const { status, headers } = await fetch(service.address + path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
  });

  test("have the same names in every process, so that any instance serves the page of another", async () => {
    await using one = await startService();
    await using other = await startService({ environment: "production" });
    const namesOf = async ({ address }: Service) =>
      linksOf(await (await fetch(`${address}/`)).text(), "/").filter((link) => link.includes("/assets/"));
    expect(await namesOf(one)).toEqual(await namesOf(other));
  });
});

describe("while a new version is being rolled out", () => {
  /** An asset as another version would call it. */
  const elsewhere = (path: string) => path.replace(/-[\w-]{10}\./, "-0123456789.");

  test("an instance serves its own asset in place of another version's, and no cache keeps it", async () => {
    const html = await (await fetch(`${service.address}/docs`)).text();
    for (const path of linksOf(html, "/docs").filter((link) => link.includes("/assets/"))) {
      const [own, other] = await Promise.all(
        [path, elsewhere(path)].map((each) => fetch(service.address + each)),
      );
      expect([path, other?.status, other?.headers.get("cache-control")]).toEqual([path, 200, "no-store"]);
      expect(await other?.text()).toBe((await own?.text()) ?? "");
    }
  });

  test("all unknown asset names share one response", async () => {
    const { href } = new URL("../../web/site.tsx", import.meta.url);
    const { buildSite } = (await import(href)) as { buildSite: BuildSite };
    const openApi = await Bun.file(new URL("../../openapi.json", import.meta.url)).text();
    const site = await buildSite({ openApi, environment: "production", errors: [], guides: "" });
    const places = ["0123456789", "9876543210"].map((hash) => site.find(`/docs/assets/console-${hash}.css`));
    expect(places[0]?.route).toBe("/docs/assets/{file}");
    expect(places[0]).toBe(places[1] as SitePlace);
    expect(site.missing("/docs/one")).toBe(site.missing("/docs/other") as SitePlace);
  });
});

test("a page is found with and without a trailing slash, also below a proxy's path", async () => {
  for (const path of ["/docs", "/docs/errors", "/docs/errors/overloaded", "/docs/guides/operations"]) {
    const response = await fetch(`${service.address}${path}/`, { redirect: "manual" });
    const location = response.headers.get("location") ?? "";
    expect([path, response.status]).toEqual([path, 308]);
    expect(new URL(location, `http://proxy/animals${path}/`).pathname).toBe(`/animals${path}`);
  }
  const refused = await fetch(`${service.address}/docs/`, { method: "POST" });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("a browser gets a page whose links work for an unknown page, and a program gets an Error", async () => {
  for (const path of [
    "/nope",
    "/nope/",
    "/a/b",
    "/docs/nothing",
    "/docs/errors/nothing",
    "/docs/guides/a/b/nothing",
  ]) {
    const asked = async (accept: string) => {
      const response = await fetch(service.address + path, { headers: { accept, "if-none-match": "*" } });
      return { response, body: await response.text() };
    };
    const page = await asked("text/html,application/xhtml+xml,*/*;q=0.8");
    expect([path, page.response.status]).toEqual([path, 404]);
    expect(page.response.headers.get("vary")).toContain("Accept,");
    expect(page.body).toContain("There is no page here");
    for (const link of linksOf(page.body, path).filter((link) => !link.endsWith("#main"))) {
      const { status } = await fetch(service.address + link);
      expect([path, link, status]).toEqual([path, link, 200]);
    }
    const error = await asked("*/*");
    expect(error.body).toStartWith('{"code":"path_not_found"');
  }
  const tooDeep = await fetch(`${service.address}/docs/1/2/3/4/5/6`, { headers: { accept: "text/html" } });
  expect(tooDeep.headers.get("content-type")).toBe("application/json");
});

interface Coded {
  readonly "x-extensible-enum": readonly string[];
}

test("every code of an Error has a page at a stable address", async () => {
  const document = await (await fetch(`${service.address}/openapi.json`)).json();
  const { components } = document as { components: { schemas: { Error: { properties: { code: Coded } } } } };
  const codes = components.schemas.Error.properties.code["x-extensible-enum"];
  expect(codes.length).toBeGreaterThan(15);
  for (const code of codes) {
    const page = await fetch(`${service.address}/docs/errors/${code}`);
    expect([code, page.status]).toEqual([code, 200]);
    expect(await page.text()).toContain(`<h1><code>${code}</code></h1>`);
  }
});

test("metrics name pages by their kind, and never show a client's path", async () => {
  await using service = await startService();
  const paths = ["/", "/docs", "/docs/errors/overloaded", "/docs/guides/operations", "/docs/nothing"];
  for (const path of paths) await fetch(service.address + path);
  expect(service.answered.map(({ route }) => route)).toEqual([
    "/",
    "/docs",
    "/docs/errors/{name}",
    "/docs/guides/{name}",
    undefined,
  ]);
});

test("the pages need no setting of the folder in which the program starts", async () => {
  using folder = temporaryFolder();
  const entry = join(folder.path, "entry.ts");
  const service = JSON.stringify(join(import.meta.dir, "../support/service.ts"));
  await Bun.write(
    entry,
    `import { startService } from ${service};
await using service = await startService();
const html = await (await fetch(service.address + "/")).text();
const [script] = /docs\\/assets\\/console-[^"]+/.exec(html) ?? [];
const { status } = await fetch(service.address + "/" + script);
console.log(status, html.includes("</html>"));
`,
  );
  const { stdout } = await runCommand([process.execPath, entry], { cwd: folder.path });
  expect(stdout).toContain("200 true");
});
