import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const MODEL = readFileSync(join(ROOT, "docs/decisions/model/Standbys.tla"), "utf8");
/** What the program does, as opposed to PostgreSQL and its operators. */
const PROGRAM = MODEL.slice(MODEL.indexOf("(* The search for the primary"), MODEL.indexOf("\nNext =="));
const STEPS = MODEL.slice(MODEL.indexOf("\nNext =="), MODEL.indexOf("\nSpec =="));

test("each action of the model names the functions that it stands for", () => {
  const named = [...PROGRAM.matchAll(/((?:^\\\*.*\n)+)^(\w+)(?:\(\w+\))? ==/gm)].flatMap(
    ([, comment = "", action]) => (/\(src\//.test(comment) ? [action as string] : []),
  );
  const actions = [...PROGRAM.matchAll(/^(\w+)(?:\(\w+\))? ==$/gm)].map(([, name]) => name as string);
  const taken = actions.filter((name) => new RegExp(`\\b${name}\\b`).test(STEPS));
  expect(taken.length).toBeGreaterThan(8);
  expect(taken.filter((name) => !named.includes(name))).toEqual([]);
});

test("each function that the model names is in the file that it names", () => {
  const names = [...MODEL.matchAll(/^\\\* (.*) \((src\/.*?\.ts)\)/gm)].flatMap(([, list = "", file = ""]) =>
    list.split(", ").map((name) => ({ name, file })),
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter(({ name, file }) => !isIn(file, name))).toEqual([]);
});

/** @param name `findPrimary`, or `Pool.#openAnother` for a member of a class */
function isIn(file: string, name: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, "utf8");
  const [owner, member] = name.split(".");
  if (member === undefined)
    return new RegExp(`^(?:export )?(?:async )?function ${owner}\\b`, "m").test(source);
  const defined = new RegExp(`^  (?:readonly |async )*${member}(?:<.*>)?(?:\\(|: .* = )`, "m");
  return new RegExp(`^export class ${owner}\\b`, "m").test(source) && defined.test(source);
}
