import { test } from "bun:test";
import { join } from "node:path";
import { expectProgramOfPageToWork, programOnPage } from "../../test/support/client-page.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";

// The programs that stand on the pages themselves. Those with a generated client are run with their generators.

test.each([
  ["ruby", "rb", () => requiredProgram("ruby")],
  ["php", "php", () => requiredProgram("php", "php-cli")],
])(
  "the program on the page of %s keeps int64 exact, repeats safely, and follows lists and the feed",
  async (language, ending, interpreter) => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, `program.${ending}`), programOnPage(language));
    await expectProgramOfPageToWork([interpreter(), `program.${ending}`], folder.path);
  },
  LONG_RUN_MS,
);

test(
  "the program on the page of csharp keeps int64 exact, repeats safely, and follows lists and the feed",
  async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, "program.cs"), programOnPage("csharp"));
    const json = "/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll";
    const compiler = requiredProgram("mcs", "mono-mcs");
    const libraries = ["-r:System.Net.Http.dll", `-r:${json}`];
    await runCommand([compiler, "-langversion:latest", ...libraries, "program.cs"], { cwd: folder.path });
    await expectProgramOfPageToWork([requiredProgram("mono", "mono-runtime"), "program.exe"], folder.path);
  },
  LONG_RUN_MS,
);
