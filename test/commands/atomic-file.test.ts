import { expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AtomicFile, temporaryPath } from "../../src/process/atomic-file.ts";
import { temporaryFolder } from "../support/folder.ts";

test("any file with the name of the temporary file is removed, and a link there is not followed", () => {
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

test.each([
  ["a pipe", "it is not a regular file; name one"],
  ["a link to a file", "it is a symbolic link; name the file that it leads to"],
  ["a link to nothing", "it is a symbolic link; name the file that it leads to"],
])("%s is never replaced: done by root, that could cost the whole machine a device", (what, reason) => {
  using folder = temporaryFolder();
  const [file, other] = [join(folder.path, "out.csv"), join(folder.path, "other")];
  if (what === "a pipe") Bun.spawnSync(["mkfifo", file]);
  else symlinkSync(other, file);
  if (what === "a link to a file") writeFileSync(other, "precious");
  const { ino } = lstatSync(file);
  expect(() => new AtomicFile(file, { replace: true })).toThrow(`cannot write ${file}: ${reason}.`);
  expect(lstatSync(file).ino).toBe(ino);
});
