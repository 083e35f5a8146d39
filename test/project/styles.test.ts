import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const WEB = join(import.meta.dir, "../../web");
const textOf = (file: string) => readFileSync(join(WEB, file), "utf8");
const filesOf = (pattern: string) =>
  [...new Bun.Glob(pattern).scanSync(WEB)].filter((file) => !file.startsWith("dist/"));

const COMMENT = /\/\*.*?\*\//gs;
const sheets = new Map(
  filesOf("styles/*.css").map((file) => [file, textOf(file).replaceAll(COMMENT, "")] as const),
);
const styles = [...sheets.values()].join("\n");
const components = filesOf("**/*.{ts,tsx}").map(textOf).join("\n");

/** What stands between the words of a component, and is no part of a class. */
const words = new Set(components.split(/[^\w-]+/));

test("colors and fonts are named in one place: the tokens", () => {
  const elsewhere = [...sheets]
    .filter(([file]) => file !== "styles/tokens.css")
    .flatMap(([file, text]) =>
      [...text.matchAll(/#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark)\(.*|font-family: (?!var).*/gi)].map(
        ([found]) => `${file}: ${found}`,
      ),
    );
  expect(elsewhere).toEqual([]);
});

test("each token is used, and each that is used exists", () => {
  const defined = new Set([...styles.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name = ""]) => name));
  const used = new Set([...styles.matchAll(/var\((--[\w-]+)/g)].map(([, name = ""]) => name));
  expect([...defined].filter((name) => !used.has(name))).toEqual([]);
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
});

test("each class and id that the styles name is on a page", () => {
  const selectors = styles.replaceAll(/\{[^{}]*\}/g, "{}").replaceAll(/"[^"]*"/g, "");
  const named = new Set([...selectors.matchAll(/[.#]([a-z][\w-]*)/gi)].map(([, name = ""]) => name));
  // Made of what the document and the code say: the first digit of a status, the kind of a token, a method.
  const isMade = (name: string) => /^(s[0-5]|t-\w+|post|put|patch|delete)$/.test(name);
  expect([...named].filter((name) => !words.has(name) && !isMade(name))).toEqual([]);
});
