import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const WIDTH = 108;

/** The first lines of a generated file. */
export const NOTICE = "// Generated from openapi.json by `npm run generate`: do not edit.\n\n";

/** Text as a documentation comment, wrapped. */
export function comment(text: string | undefined): string {
  if (!text) return "";
  const lines: string[] = [];
  for (const word of text.replaceAll("*/", "*").split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
}

/** Source text as `npm run format` writes it. */
export function format(source: string): string {
  const biome = join(ROOT, "node_modules/.bin/biome");
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [biome, "format", "--stdin-file-path=client/generated.ts"],
    {
      cwd: ROOT,
      stdin: Buffer.from(source),
    },
  );
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}

/** `animal_not_found` or `listPets` with its words capitalised and joined. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
