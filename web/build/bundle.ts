import { join, relative } from "node:path";

/** The root of the package. Inputs are named from here, so that their names do not depend on where it is installed. */
export const ROOT = join(import.meta.dir, "../..");
const WEB = join(import.meta.dir, "..");

const SCRIPTS = {
  "start.js": "start.ts",
  "reference.js": "reference/browser.tsx",
  "console.js": "console/browser.tsx",
} as const;

/** Later layers win over earlier ones, whatever their selectors. */
const STYLES: readonly (readonly [layer: string, files: readonly string[]])[] = [
  ["base", ["tokens", "base"]],
  ["parts", ["parts"]],
  ["pages", ["documentation", "try", "console", "orders", "feed"]],
  ["overrides", ["print", "overrides"]],
];

/** The assets that depend on the sources alone. */
export const BUNDLED = ["start.js", "reference.js", "console.js", "site.css"] as const;
export type Bundle = Readonly<Record<(typeof BUNDLED)[number], string>>;

/**
 * Bundles scripts and styles, which takes some 25 ms.
 *
 * @returns the bundle, and the path of every source file from the root of the package
 * @throws AggregateError if a script has an error
 */
export async function bundle(): Promise<{ bundle: Bundle; inputs: readonly string[] }> {
  const inputs = new Set([import.meta.path]);
  const script = async (name: keyof typeof SCRIPTS) => {
    const { outputs, metafile } = await Bun.build({
      entrypoints: [join(WEB, SCRIPTS[name])],
      target: "browser",
      format: "esm",
      minify: true,
      define: { "process.env.NODE_ENV": '"production"' },
      metafile: true,
    });
    for (const input of Object.keys(metafile?.inputs ?? {})) inputs.add(join(process.cwd(), input));
    return (await outputs[0]?.text()) ?? "";
  };
  const layers = STYLES.map(async ([layer, names]) => {
    const files = names.map((name) => join(WEB, "styles", `${name}.css`));
    for (const file of files) inputs.add(file);
    const texts = await Promise.all(files.map((file) => Bun.file(file).text()));
    return `@layer ${layer} {\n${texts.join("\n")}}\n`;
  });
  const made = {
    "start.js": await script("start.js"),
    "reference.js": await script("reference.js"),
    "console.js": await script("console.js"),
    // Not minified: the bundler would rewrite `light-dark()` into something that areas with a scheme of their own cannot
    // change, and compression does the rest.
    "site.css": (await Promise.all(layers)).join(""),
  };
  return { bundle: made, inputs: [...inputs].map(nameOf) };
}

/** `package.json` stands for the files of a library: it pins the library's version, and the bundler's. */
function nameOf(input: string): string {
  const name = relative(ROOT, input);
  return /(^|\/)(\.\.|node_modules)\//.test(name) ? "package.json" : name;
}
