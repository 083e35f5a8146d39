import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { SUITES } from "../../suites/catalogue.ts";

const ROOT = join(import.meta.dir, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
/** What `npm test -- NAME` runs. */
const RUNS = new Set(["quick", ...SUITES.map(({ name }) => name)]);
const FOLDERS = new Set(
  readdirSync(ROOT, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name),
);

/** What a command builds, and no checkout has. */
const BUILT = /^(?:client|web)\/dist\b/;

const INSTALLS = /\b(?:npm (?:i|install|add|exec)|npx|bunx|pnpm|yarn)\b.*\s@?animal-store\b/;

// CHANGELOG.md is left out: it names what earlier versions had.
const DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].concat(
  ...["docs/**/*.md", "bench/*.md", "bench/notes/*.md", "client/*.md", ".github/*.md"].map((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true }),
  ]),
);

describe.each(DOCUMENTS)("%s", (document) => {
  const text = readFileSync(join(ROOT, document), "utf8");
  const prose = text.replace(/^```.*?^```/gms, "");

  test("links to files and headings that exist", () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const broken = links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(document, link));
    expect(broken).toEqual([]);
  });

  test("names only files and folders that exist", () => {
    expect(wordsInCode(prose).filter((word) => isPath(word) && !isThere(word))).toEqual([]);
  });

  test("names only commands that exist", () => {
    const commands = [...text.matchAll(/\bnpm run ([a-z][a-z:-]*[a-z])/g)].map(([, name = ""]) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const tests = [...text.matchAll(/\bnpm test -- ([a-z][a-z-]*)(?![\w/.-])/g)].map(([, name = ""]) => name);
    expect(tests.filter((name) => !RUNS.has(name))).toEqual([]);
  });

  // A name that nobody has published can be taken by anybody.
  test("installs the project from a file, never by a name", () => {
    const byName = text.split("\n").filter((line) => INSTALLS.test(line) && !line.includes(".tgz"));
    expect(byName).toEqual([]);
  });

  test("ends each code span on its line", () => {
    const open = prose.split("\n").filter((line) => (line.match(/`/g)?.length ?? 0) % 2 === 1);
    expect(open).toEqual([]);
  });

  test("has one title", () => {
    expect(prose.match(/^# .+/gm)).toHaveLength(1);
  });
});

/** The words of every code span. */
function wordsInCode(prose: string): string[] {
  return [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(/[\s,;]+/));
}

/** Whether a word of code is a path of the repository; a word in capitals, as in `suites/NAME`, stands for any name. */
function isPath(word: string): boolean {
  const [first = "", ...rest] = word.split("/");
  return (
    rest.length > 0 &&
    FOLDERS.has(first) &&
    first !== "node_modules" &&
    !BUILT.test(word) &&
    !/\b[A-Z]+\b/.test(word)
  );
}

function isThere(path: string): boolean {
  if (!path.includes("*")) return existsSync(join(ROOT, path));
  return !new Bun.Glob(path).scanSync({ cwd: ROOT, dot: true, onlyFiles: false }).next().done;
}

function leadsSomewhere(document: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(readFileSync(join(ROOT, target), "utf8")).includes(anchor);
}

/** The anchors that code hosts give to the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = [...page.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("README leads on in seven rows, and to the sandbox before the service", () => {
  const text = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, table = ""] = text.split("| you want to | command | read |\n| --- | --- | --- |\n");
  const rows = table.split("\n\n")[0]?.split("\n") ?? [];
  expect(rows).toHaveLength(7);
  expect(text.indexOf("bin/animal-store sandbox")).toBeLessThan(text.indexOf("npm start"));
});
