import { join } from "node:path";
import type { SiteFile } from "../contract.ts";

const SOURCE = join(import.meta.dir, "..");
const ENTRIES = {
  "start.js": "start.ts",
  "reference.js": "reference/browser.tsx",
  "console.js": "console/browser.tsx",
} as const;

/** Later layers win over earlier ones, whatever their selectors. */
const STYLES: readonly (readonly [layer: string, files: readonly string[]])[] = [
  ["base", ["tokens", "base"]],
  ["parts", ["parts"]],
  ["pages", ["documentation", "try", "console"]],
  ["overrides", ["print", "overrides"]],
];

type AssetName = keyof typeof ENTRIES | "site.css" | "icon.svg" | "search.json";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  json: "application/json",
};

/** An asset's name changes with its content, so that caches may keep it for a year without asking. */
const FOREVER = { "Cache-Control": "public, max-age=31536000, immutable" };

/** The files that pages load. */
export class Assets {
  readonly #files = new Map<string, SiteFile>();
  readonly #paths = new Map<AssetName, string>();

  /** Builds scripts and styles, which takes some 20 ms. @throws AggregateError when one of them has an error */
  static async build(icon: string): Promise<Assets> {
    const assets = new Assets();
    for (const [name, entry] of Object.entries(ENTRIES)) {
      assets.add(name as AssetName, await bundle(join(SOURCE, entry)));
    }
    assets.add("site.css", await stylesheet());
    assets.add("icon.svg", icon);
    return assets;
  }

  add(name: AssetName, text: string): void {
    const [stem = "", extension = ""] = name.split(".");
    const hash = Bun.CryptoHasher.hash("sha256", text, "base64url").slice(0, 10);
    const path = `/docs/assets/${stem}-${hash}.${extension}`;
    this.#paths.set(name, path);
    this.#files.set(path, { mediaType: MEDIA_TYPES[extension] ?? "", text, headers: FOREVER });
  }

  pathOf(name: AssetName): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`there is no asset ${name}`);
    return path;
  }

  at(path: string): SiteFile | undefined {
    return this.#files.get(path);
  }
}

async function bundle(entry: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "esm",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return (await outputs[0]?.text()) ?? "";
}

/** The style sheets in one. They are not minified: the bundler would rewrite `light-dark()` into something that areas
 * with a scheme of their own cannot change, and compression does the rest. */
async function stylesheet(): Promise<string> {
  const layers = STYLES.map(async ([layer, files]) => {
    const texts = files.map((file) => Bun.file(join(SOURCE, "styles", `${file}.css`)).text());
    return `@layer ${layer} {\n${(await Promise.all(texts)).join("\n")}}\n`;
  });
  return (await Promise.all(layers)).join("");
}
