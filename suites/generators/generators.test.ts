import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { expectProgramOfPageToWork } from "../../test/support/client-page.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";
import { isWhole, shareOf } from "../share.ts";
import { GENERATORS } from "./catalogue.ts";
import { compileClient, generateClient, succeed } from "./client.ts";
import type { Generator, Workplace } from "./generator.ts";
import { missingTools } from "./tools.ts";

// Clients that public generators make of openapi.json compile and run against the service.

const DOCUMENT = join(import.meta.dir, "../../openapi.json");
/** In the store before a program starts, in pages of two. */
const NAMES = ["Ada", "Bo", "Cid", "Dot"];
const GREATEST = "9223372036854775807";

/** What was shown of each generator, for the table at the end. */
const shown: Record<string, { generates: string; compiles: string; works: string; int64: string }> = {};

for (const command of missingTools()) await succeed(command, import.meta.dir);

const chosen = shareOf(GENERATORS, "generators");
for (const generator of chosen) {
  const missing = generator.needs.filter((program) => Bun.which(program) === null);
  const title = `${generator.name}${missing.length > 0 ? `: skipped, this machine lacks ${missing.join(", ")}` : ""}`;
  test.skipIf(missing.length > 0)(title, () => exercise(generator), LONG_RUN_MS);
}

// A share may be one generator, and is taken where every tool is installed.
if (isWhole)
  test("at least three generators in two languages other than TypeScript made clients that work", () => {
    const working = GENERATORS.filter(
      ({ name, language }) => language !== "TypeScript" && shown[name]?.works === "yes",
    );
    expect(working.length).toBeGreaterThanOrEqual(3);
    expect(new Set(working.map(({ language }) => language)).size).toBeGreaterThanOrEqual(2);
  });
else
  test("each generator of the share made a client that works", () => {
    expect(chosen.filter(({ name, run }) => run && shown[name]?.works !== "yes")).toEqual([]);
  });

afterAll(() => console.table(shown));

async function exercise(generator: Generator) {
  const { name, run, page, greatest = GREATEST } = generator;
  const row = { generates: "no", compiles: "no", works: run ? "no" : "-", int64: "-" };
  shown[name] = row;
  using folder = temporaryFolder();
  const at: Workplace = { document: DOCUMENT, folder: folder.path };

  const warnings = await generateClient(generator, at);
  row.generates = warnings.length === 0 ? "yes" : `${warnings.length} warnings`;
  expect(warnings).toEqual([]);

  await compileClient(generator, at);
  row.compiles = "yes";
  if (!run) return;

  await using service = await startService();
  for (const each of NAMES) await service.create(JSON.stringify({ name: each, categoryId: 1 }));
  const env = { ANIMAL_STORE_URL: `${service.address}/v1`, API_KEY: service.key };
  const said = await succeed(run(at), at.folder, env);
  expect(said.trim().split("\n")).toEqual([
    `created ${greatest}`,
    `got ${greatest}`,
    `listed ${[...NAMES, "Rex"]}`,
    "unauthorized 401 unauthorized",
    "unknown 404 animal_not_found",
    "invalid 400 invalid_body",
  ]);
  if (page) await expectProgramOfPageToWork(page.run, at.folder);
  row.works = "yes";
  row.int64 = greatest === GREATEST ? "exact" : `to ${greatest}`;
}
