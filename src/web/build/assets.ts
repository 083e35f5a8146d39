import { join } from "node:path";
import type { SitePlace } from "../contract.ts";

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
  ["pages", ["documentation", "try", "console", "orders", "feed"]],
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
const NEVER = { "Cache-Control": "no-store" };
/** The name of an asset of any version. */
const VERSIONED = /^\/docs\/assets\/(\w+)-[\w-]{10}\.(\w+)$/;
const ROUTE = "/docs/assets/{file}";

/** The files that pages load. */
export class Assets {
  readonly #places = new Map<string, SitePlace>();
  readonly #paths = new Map<AssetName, string>();
  /** By the names of `AssetName`: what stands in for assets of other versions. */
  readonly #substitutes = new Map<string, SitePlace>();

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
    const file = { status: 200, mediaType: MEDIA_TYPES[extension] ?? "", text } as const;
    this.#places.set(path, { route: ROUTE, make: () => ({ ...file, headers: FOREVER }) });
    this.#substitutes.set(name, { route: ROUTE, make: () => ({ ...file, headers: NEVER }) });
  }

  pathOf(name: AssetName): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`there is no asset ${name}`);
    return path;
  }

  /**
   * The asset at a path. While a new version is being rolled out, an instance may be asked for an asset of another
   * version, whose page came from another instance. It answers with its own asset of that name, which no cache may keep:
   * a page in a slightly different style is better than a page without any.
   */
  at(path: string): SitePlace | undefined {
    const [, stem, extension] = VERSIONED.exec(path) ?? [];
    return this.#places.get(path) ?? this.#substitutes.get(`${stem}.${extension}`);
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
