import { expect, test } from "bun:test";
import { join } from "node:path";
import { errorsPage } from "../../scripts/errors-page.ts";
import { FAILURE_TABLE } from "../../src/http/response/failure-table.ts";

const FILE = join(import.meta.dir, "../../docs/errors.md");

test("docs/errors.md is generated from the table of failures (`npm run generate` writes it)", async () => {
  expect(await Bun.file(FILE).text()).toBe(errorsPage());
});

test("every code has its entry, under its status, with an example of itself", () => {
  const sections = errorsPage().split(/^## /m).slice(1);
  for (const [code, { status, when, help }] of Object.entries(FAILURE_TABLE)) {
    const section = sections.find((text) => text.startsWith(`${status} `)) ?? "";
    const [, entry = ""] = section.split(`### ${code}\n`);
    expect(entry).toContain(when);
    expect(entry).toContain(help);
    expect(entry).toContain(`HTTP/1.1 ${status} `);
    expect(entry).toContain(`"code": "${code}"`);
  }
});

test("codes are lower snake case, and statuses are those of refusals", () => {
  for (const [code, { status }] of Object.entries(FAILURE_TABLE)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeWithin(400, 600);
  }
});
