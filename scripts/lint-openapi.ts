// `npm run lint:openapi`: checks the committed document and prints its problems and a one-line summary.
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";

const FILE = join(import.meta.dir, "../openapi.json");

/** What a linter has against a document of OpenAPI or of Arazzo: one line each. */
export async function lintOpenApi(source: string): Promise<string[]> {
  const config = await createConfig({
    // Redocly's recommended rules, with its warnings as errors: wrong examples are among them.
    extends: ["recommended-strict"],
    // What every reader asks for, and the recommended rules do not.
    rules: { "operation-description": "error", "parameter-description": "error" },
  });
  const problems = await lintFromString({ source, absoluteRef: FILE, config });
  return problems.map(
    ({ ruleId, message, location }) => `${location[0]?.pointer ?? "#/"}: ${message} (${ruleId})`,
  );
}

if (import.meta.main) {
  const problems = await lintOpenApi(await Bun.file(FILE).text());
  for (const problem of problems) console.error(problem);
  console.log(`openapi.json: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
