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
  "share.js": "browser/share-key.ts",
  "find.js": "console/find-in-list.ts",
  "sandbox.js": "sandbox/browser.tsx",
} as const;

/** What a page has of its own, in addition to what all of them share. */
const STYLES = {
  "reference.css": ["prose", "documentation", "try"],
  "console.css": ["console", "orders", "feed"],
  "sandbox.css": ["console", "orders", "feed", "dialogs", "sandbox"],
} as const;

/** What a script that comes later needs in addition: its rules join those of the page. */
const LATER_STYLES = { "search.css": "search", "dialogs.css": "dialogs" } as const;

/** Styles that override all others, on single pages. */
const OVERRIDES: Readonly<Record<string, readonly string[]>> = { "reference.css": ["print-documentation"] };

/** The layers of a page's style. Later ones win over earlier ones, whatever their selectors. */
function layersOf(
  name: keyof typeof STYLES,
): readonly (readonly [layer: string, files: readonly string[]])[] {
  return [
    ["base", ["tokens", "base"]],
    ["parts", ["parts"]],
    ["pages", STYLES[name]],
    ["overrides", ["print", "overrides", ...(OVERRIDES[name] ?? [])]],
  ];
}

/** A style without comments and what else says nothing: white space, zeros before a point, quotes, last semicolons. */
function compact(css: string): string {
  return css
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\s?([{};,])\s?/g, "$1")
    .replaceAll(/: | > /g, (each) => each.trim())
    .replaceAll(/\b0(\.\d)/g, "$1")
    .replaceAll(/="([a-z]+)"\]/g, "=$1]")
    .replaceAll(";}", "}");
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
  "share.js",
  "find.js",
  "sandbox.js",
  "reference.css",
  "console.css",
  "sandbox.css",
  "search.css",
  "dialogs.css",
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
  const style = async (layersOfPage: ReturnType<typeof layersOf>) => {
    const layers = layersOfPage.map(async ([layer, names]) => {
      const files = names.map((each) => join(WEB, "styles", `${each}.css`));
      for (const file of files) inputs.add(file);
      const texts = await Promise.all(files.map((file) => Bun.file(file).text()));
      return `@layer ${layer}{${compact(texts.join("\n")).trim()}}`;
    });
    return (await Promise.all(layers)).join("");
  };
  const pageStyle = (name: keyof typeof STYLES) => style(layersOf(name));
  const laterStyle = (name: keyof typeof LATER_STYLES) => style([["pages", [LATER_STYLES[name]]]]);
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
    "share.js": await script("share.js"),
    "find.js": await script("find.js"),
    "sandbox.js": await script("sandbox.js"),
    "reference.css": await pageStyle("reference.css"),
    "console.css": await pageStyle("console.css"),
    "sandbox.css": await pageStyle("sandbox.css"),
    "search.css": await laterStyle("search.css"),
    "dialogs.css": await laterStyle("dialogs.css"),
  };
  return { bundle: made, inputs: [...inputs].map(nameOf) };
}

/** `package.json` stands for the files of a library: it pins the library's version, and the bundler's. */
function nameOf(input: string): string {
  const name = relative(ROOT, input);
  return /(^|\/)(\.\.|node_modules)\//.test(name) ? "package.json" : name;
}
