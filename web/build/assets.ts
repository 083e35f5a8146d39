import type { SitePlace } from "../contract.ts";
import { type Bundle, bundle } from "./bundle.ts";
import { shippedBundle } from "./shipped-bundle.ts";

type AssetName = keyof Bundle | `${string}.svg` | "search.json";

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
  /** Substitutes for assets of other versions, by the names of `AssetName`. */
  readonly #substitutes = new Map<string, SitePlace>();

  /** Loads scripts and styles from the package, or bundles them. @throws AggregateError if a script has an error */
  static async load(icon: string): Promise<Assets> {
    const assets = new Assets();
    const loaded = (await shippedBundle()) ?? (await bundle()).bundle;
    for (const [name, text] of Object.entries(loaded)) assets.add(name as AssetName, text);
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
   * version, whose page came from another instance. It sends its own asset of that name, which no cache may keep:
   * a page in a slightly different style is better than a page without style.
   */
  at(path: string): SitePlace | undefined {
    const [, stem, extension] = VERSIONED.exec(path) ?? [];
    return this.#places.get(path) ?? this.#substitutes.get(`${stem}.${extension}`);
  }
}
