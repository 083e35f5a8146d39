import { expect, test } from "bun:test";
import { FAULT_NAMES } from "../../sandbox/faults.ts";
import { FAULT_WORDS } from "../../web/sandbox/fault-words.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";

const PAGE = "/_sandbox/console";

test("a sandbox has a page that lists each operation of its control interface, under the policy of all pages", async () => {
  await using sandbox = await startSandbox();
  const response = await fetch(sandbox.address + PAGE);
  expect(response.status).toBe(200);
  const page = await response.text();
  const document = (await (await sandbox.control("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, { summary?: string }>>;
  };
  const summaries = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ summary }) => summary ?? []),
  );
  expect(summaries.length).toBeGreaterThan(15);
  expect(summaries.filter((summary) => !page.includes(summary))).toEqual([]);
  const policy = (await fetch(`${sandbox.address}/docs`)).headers.get("content-security-policy");
  expect(response.headers.get("content-security-policy")).toBe(policy as string);
  for (const [, file = ""] of page.matchAll(/(?:src|href)="([^"]+\.(?:js|css|json))"/g)) {
    expect([file, (await fetch(new URL(file, sandbox.address + PAGE))).status]).toEqual([file, 200]);
  }
  expect(await (await fetch(sandbox.address + PAGE, { method: "POST" })).json()).toMatchObject({
    code: "method_not_allowed",
  });
});

test("the console and the reference of a sandbox lead to that page", async () => {
  await using sandbox = await startSandbox();
  expect(await (await fetch(`${sandbox.address}/`)).text()).toContain('href="./_sandbox/console"');
  expect(await (await fetch(`${sandbox.address}/docs`)).text()).toContain('href="./_sandbox/console"');
  expect(await (await fetch(`${sandbox.address}/docs/errors`)).text()).toContain(
    'href="../_sandbox/console"',
  );
});

test("a service has no such page, and none of its pages loads or names what a sandbox has", async () => {
  await using service = await startService();
  expect((await fetch(service.address + PAGE)).status).toBe(404);
  for (const path of ["/", "/docs", "/docs/errors"]) {
    const page = await (await fetch(service.address + path)).text();
    expect(page).not.toMatch(/_sandbox|sandbox-[\w-]{10}\.|sandbox-notice|sandbox-key|as_test_\w/);
  }
});

test("the page of a sandbox explains each fault, and no other", () => {
  expect(Object.keys(FAULT_WORDS).sort()).toEqual([...FAULT_NAMES].sort());
});

test("the pages of a sandbox say that they are one, and not that they are of staging", async () => {
  await using sandbox = await startSandbox();
  for (const path of ["/", PAGE, "/docs"]) {
    const page = await (await fetch(sandbox.address + path)).text();
    expect([path, page.match(/class="environment[^>]*>([^<]*)/)?.[1]]).toEqual([path, "Sandbox"]);
  }
});
