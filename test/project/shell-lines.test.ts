import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM } from "../support/program.ts";
import { runCommand } from "../support/run-command.ts";
import { storePlace } from "../support/store-place.ts";

// What a shell reads here and in the documents works with each shell that this machine has: with dash on Debian, and with
// BusyBox's on Alpine.

const ROOT = join(import.meta.dir, "../..");

const SHELLS: readonly (readonly string[])[] = [
  ["sh"],
  ["dash"],
  ["bash", "--posix"],
  ["busybox", "sh"],
].filter(([program = ""]) => Bun.which(program) !== null);

/** Beyond POSIX, and read without complaint by a shell that then does something else. */
const BEYOND_POSIX =
  /\[\[|<<<|&>|\|&|[<>]\(|\$'|\$\{\w+(?:\/|\^|,,|:\d)|\bfunction \w|\b(?:source|declare|pushd|popd|shopt|mapfile) |\becho -[en]|\bread -p|\bset -o pipefail|\[ [^\]]* == /;

/** Each text for a shell, by where it stands. */
const TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    filesIn("**/*.md").flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return [...text.matchAll(/^```(sh|console)\n(.*?)^```$/gms)].map(([, kind, sample = ""], at) => [
        `${file}, sample ${at + 1}`,
        kind === "sh" ? sample : typedIn(sample),
      ]);
    }),
  ),
  ...Object.fromEntries(
    ["bin/*", "suites/*/*", "scripts/debian/*", "examples/**/*.sh"].flatMap(filesIn).flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return text.startsWith("#!/bin/sh\n") ? [[file, text]] : [];
    }),
  ),
  ...Object.fromEntries(
    filesIn("deploy/*Dockerfile").map((file) => [
      file,
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/^RUN (.*(?:\\\n.*)*)/gm)]
        .map(([, line]) => line)
        .join("\n"),
    ]),
  ),
};

function filesIn(pattern: string): string[] {
  const files = [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })];
  return files.filter((file) => !/(?:^|\/)(?:node_modules|dist|\.git)\//.test(file)).sort();
}

/** What a person types in a session: after each `$`, with the lines that a backslash continues. */
function typedIn(session: string): string {
  return [...session.matchAll(/^\$ (.*(?:\\\n.*)*)/gm)].map(([, line]) => line).join("\n");
}

test("documents, scripts and deploy/ contain shell lines", () => {
  const places = Object.keys(TEXTS).map((place) => place.split("/")[0]);
  expect(places).toEqual(
    expect.arrayContaining(["README.md, sample 1", "docs", "bin", "deploy", "examples"]),
  );
});

describe.each(Object.entries(TEXTS))("%s", (_, text) => {
  test.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))("is read by %s", async (_, shell) => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, "text"), text);
    await runCommand([...shell, "-n", "text"], { cwd: folder.path });
  });

  test("has nothing beyond POSIX", () => {
    expect(BEYOND_POSIX.exec(text)?.[0]).toBeUndefined();
  });
});

/** The lines about a store's data that need neither PostgreSQL nor the outcome of another line. */
const DATA_LINES = Object.entries(TEXTS)
  .filter(([place]) => /^docs\/(?:data|operations)\.md/.test(place))
  .flatMap(([, text]) => text.split("\n"))
  .filter((line) => /(?:^|\| )animal-store (?!copy|restore|.* --database)/.test(line));

describe("a documented line about a store's data works unchanged:", () => {
  test.each(DATA_LINES)("%s", async (line) => {
    using here = storePlace();
    await here.create(20);
    if (/\bimport\b/.test(line)) {
      await here.write("animals.csv", "name,categoryId,status\nRex,1,\nTom,2,pending\n");
      await here.write("rejects.txt", "# line 3: why\nBo,7,available\n");
      await here.write("orders.csv", "petId,status\n3,cancelled\n");
    }
    if (/\bkeys\b/.test(line)) await here.run("keys", "create", "--name", "web shop");
    symlinkSync(PROGRAM, here.path("animal-store"));
    const env = { ...here.env, PATH: `${here.cwd}:${process.env.PATH}` };
    await runCommand(["sh", "-c", line.replace(/\S*\/backups\/(?:animal-store\/)?/, "./")], {
      cwd: here.cwd,
      env,
    });
  });
});
