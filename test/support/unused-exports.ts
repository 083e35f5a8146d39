import { dirname, join } from "node:path/posix";
import type { Tree } from "./architecture.ts";

const EXPORT =
  /^export (?:declare |async |abstract )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const IMPORT = /\b(?:import|export)\s(?:type\s)?([^"';]*?)\sfrom\s"(\.[^"]+)"/g;
const CALLED_IMPORT = /(?:const (\{[^}]*\}) = )?\(?await import\(\s*"(\.[^"]+)"\s*\)\)?(?:\.(\w+))?/g;
/** The file of a thread, an entry point of a bundle, or a module whose URL is passed on: its exports are used. */
const NAMED_FILE = /\b(?:new URL\(|import\.meta\.dir,)\s*"([^"]+\.tsx?)"/g;

/** Exports that no other file of a tree imports, each as `FILE NAME`. */
export function unusedExports(tree: Tree, isChecked: (file: string) => boolean): string[] {
  const used = new Set<string>();
  const use = (file: string, imported: string, names: string) => {
    for (const name of names.matchAll(/[*\w]+(?=\s+as\b|\s*[,:}]|$)/g)) {
      used.add(`${join(dirname(file), imported)} ${name[0]}`);
    }
  };
  for (const [file, text] of Object.entries(tree)) {
    for (const [, names = "", path = ""] of text.matchAll(IMPORT))
      use(file, path, names.replaceAll("type ", ""));
    for (const [, names, path = "", name = "*"] of text.matchAll(CALLED_IMPORT))
      use(file, path, names ?? name);
    for (const [, path = ""] of text.matchAll(NAMED_FILE)) used.add(`${join(dirname(file), path)} *`);
  }
  return Object.entries(tree)
    .filter(([file]) => isChecked(file) && !used.has(`${file} *`))
    .flatMap(([file, text]) => [...text.matchAll(EXPORT)].map(([, name]) => `${file} ${name}`))
    .filter((each) => !used.has(each));
}
