import { expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AtomicFile } from "../../src/cli/atomic-file.ts";
import { temporaryFolder } from "../support/folder.ts";

test("what stands in the place of a draft is removed, and a link there is not followed", () => {
  using folder = temporaryFolder();
  const [file, other] = [join(folder.path, "out.csv"), join(folder.path, "other")];
  writeFileSync(other, "precious");
  symlinkSync(other, `${file}.${process.pid}.draft`);
  {
    using draft = new AtomicFile(file, { replace: false });
    closeSync(openSync(draft.path, "wx"));
    draft.publish();
  }
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(other, "utf8")).toBe("precious");
});
