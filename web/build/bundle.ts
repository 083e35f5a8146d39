import { join, relative } from "node:path";

/** The root of the package. Inputs are named from here, so that their names do not depend on where it is installed. */
export const ROOT = join(import.meta.dir, "../..");
const WEB = join(import.meta.dir, "..");

const SCRIPTS = {
  "start.js": "start.ts",
  "reference.js": "reference/browser.tsx",
  "guide.js": "guides/browser.ts",
  "samples.js": "reference/live-samples.ts",
  "console.js": "console/browser.tsx",
  "feed.js": "console/shared-feed.ts",
  "dialogs.js": "console/dialogs.tsx",
  "palette.js": "console/palette.tsx",
  "search.js": "reference/open-search.tsx",
  "sandbox.js": "sandbox/browser.tsx",
} as const;

/** What a page has of its own, in addition to what all of them share. */
const STYLES = {
  "reference.css": ["documentation", "search", "try"],
  "console.css": ["console", "search", "orders", "feed"],
  "sandbox.css": ["console", "search", "orders", "feed", "sandbox"],
} as const;

/** The layers of a page's style. Later ones win over earlier ones, whatever their selectors. */
function layersOf(own: readonly string[]): readonly (readonly [layer: string, files: readonly string[]])[] {
  return [
    ["base", ["tokens", "base"]],
    ["parts", ["parts"]],
    ["pages", own],
    ["overrides", ["print", "overrides"]],
  ];
}

/** A style without comments and needless white space. */
function compact(css: string): string {
  return css
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\s?([{};,])\s?/g, "$1");
}

/** The assets that depend on the sources alone. */
export const BUNDLED = [
  "start.js",
  "reference.js",
  "guide.js",
  "samples.js",
  "console.js",
  "feed.js",
  "dialogs.js",
  "palette.js",
  "search.js",
  "sandbox.js",
  "reference.css",
  "console.css",
  "sandbox.css",
] as const;
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
  // Not by the bundler: it would rewrite `light-dark()` into something that areas with a scheme of their own cannot change.
  const style = async (name: keyof typeof STYLES) => {
    const layers = layersOf(STYLES[name]).map(async ([layer, names]) => {
      const files = names.map((each) => join(WEB, "styles", `${each}.css`));
      for (const file of files) inputs.add(file);
      const texts = await Promise.all(files.map((file) => Bun.file(file).text()));
      return `@layer ${layer} {\n${compact(texts.join("\n"))}}\n`;
    });
    return (await Promise.all(layers)).join("");
  };
  const made = {
    "start.js": await script("start.js"),
    "reference.js": await script("reference.js"),
    "guide.js": await script("guide.js"),
    "samples.js": await script("samples.js"),
    "console.js": await script("console.js"),
    "feed.js": await script("feed.js"),
    "dialogs.js": await script("dialogs.js"),
    "palette.js": await script("palette.js"),
    "search.js": await script("search.js"),
    "sandbox.js": await script("sandbox.js"),
    "reference.css": await style("reference.css"),
    "console.css": await style("console.css"),
    "sandbox.css": await style("sandbox.css"),
  };
  return { bundle: made, inputs: [...inputs].map(nameOf) };
}

/** `package.json` stands for the files of a library: it pins the library's version, and the bundler's. */
function nameOf(input: string): string {
  const name = relative(ROOT, input);
  return /(^|\/)(\.\.|node_modules)\//.test(name) ? "package.json" : name;
}
