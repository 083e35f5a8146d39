import { expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AtomicFile, temporaryPath } from "../../src/cli/atomic-file.ts";
import { temporaryFolder } from "../support/folder.ts";

test("whatever has the name of the temporary file is removed, and a link there is not followed", () => {
  using folder = temporaryFolder();
  const [file, other] = [join(folder.path, "out.csv"), join(folder.path, "other")];
  writeFileSync(other, "precious");
  symlinkSync(other, temporaryPath(file));
  {
    using written = new AtomicFile(file, { replace: false });
    closeSync(openSync(written.path, "wx"));
    written.publish();
  }
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(other, "utf8")).toBe("precious");
});
