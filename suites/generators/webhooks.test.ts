import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openApiFile } from "../../scripts/openapi-file.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { GENERATORS } from "./catalogue.ts";
import { generateClient, succeed } from "./client.ts";
import { missingTools } from "./tools.ts";

// The document of a service that offers the feed has `webhooks`, which OpenAPI 3.1 has added. No generator may lose an
// operation for it.

/** What generators say of each name that they change for their language. */
const OF_NAMES = /reserved word|cannot be used as a enum variant name/;

/** What was shown of each generator, for the table at the end. */
const shown: Record<string, { readonly webhooks: string }> = {};
afterAll(() => console.table(shown));

for (const command of missingTools()) await succeed(command, import.meta.dir);

for (const generator of shareOf(GENERATORS, "generators of a document with webhooks")) {
  const { name, needs, webhooks } = generator;
  test.skipIf(needs.some((program) => Bun.which(program) === null))(
    `${name} makes a client of a document with webhooks: ${webhooks}`,
    async () => {
      using folder = temporaryFolder();
      const document = join(folder.path, "webhooks.json");
      await Bun.write(document, openApiFile({ STABILITY: "experimental" }));
      const at = { document, folder: join(folder.path, "made") };
      const warnings = await generateClient(generator, at);
      expect(warnings.filter((warning) => !OF_NAMES.test(warning))).toEqual([]);
      let code = "";
      for await (const file of new Bun.Glob("**/*.{go,java,kt,php,py,rb,rs,ts}").scan(at.folder)) {
        code += await Bun.file(join(at.folder, file)).text();
      }
      expect(code).toMatch(/list_?events/i);
      const isRead = /receive_?event/i.test(code);
      shown[name] = { webhooks: isRead ? "read" : "left out" };
      expect(isRead).toBe(webhooks !== "left out");
    },
    LONG_RUN_MS,
  );
}
