import { exactNumber } from "./exact-json.ts";
import type { Operation } from "./operation.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** Where a list begins: a query, or the address of one of its pages. */
export type ListStart = string | { readonly limit?: number | undefined };

/** The page size if the caller sets none: the service's maximum, so that a list takes the fewest requests. */
const PAGE_SIZE = 100;

/** The base address of a service; it makes every address that the client calls. */
export class BaseAddress {
  readonly #base: string;
  /** The last segment of its path, with which every link of the service begins: `/v1`. */
  readonly #version: string;

  /** @throws TypeError if the client cannot call the address */
  constructor(baseUrl: string | { readonly href: string }) {
    const url = parsed(baseUrl);
    if (!url || url.username || url.password || url.search || url.hash || !/^https?:$/.test(url.protocol)) {
      throw new TypeError("baseUrl must be an http or https address without user, query and fragment");
    }
    const path = url.pathname.replace(/\/+$/, "");
    this.#base = url.origin + path;
    const [version] = /\/v\d+$/.exec(path) ?? [];
    if (version === undefined) {
      throw new TypeError(`baseUrl must end with the version of the interface: ${this.#base}/v1, perhaps`);
    }
    this.#version = version;
  }

  /**
   * The address of an operation with its parameters. Query parameters that are undefined are left out.
   * @throws TypeError for an id that is not an integer, and for a query parameter that the operation does not have
   * @throws RangeError for an integer past 2^53 that is a `number`
   * @throws URIError for a text with half of a surrogate pair
   */
  of(
    { id, path, query: known }: Operation<unknown>,
    inPath: Parameters = {},
    inQuery: Parameters = {},
  ): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      const value = `${exactNumber(inPath[name])}`;
      if (!/^-?\d+$/.test(value)) throw new TypeError(`${name} must be an integer`);
      return value;
    });
    let search = "";
    for (const name in inQuery) {
      const value = inQuery[name];
      if (!known.includes(name)) {
        throw new TypeError(
          `${id} has no query parameter ${name}; it has ${known.join(", ")}. Options are a separate argument`,
        );
      }
      if (value !== undefined)
        search += `${search ? "&" : "?"}${name}=${encodeURIComponent(`${exactNumber(value)}`)}`;
    }
    return this.#base + filled + search;
  }

  /**
   * The address of the first page of a query, or of the page that a link leads to.
   * @throws TypeError as `of` and `follow` do
   */
  ofList(operation: Operation<unknown>, start: ListStart): string {
    return typeof start === "string"
      ? this.follow(start)
      : this.of(operation, {}, { ...start, limit: start.limit ?? PAGE_SIZE });
  }

  /**
   * The address that a link leads to. A proxy may serve the service below a path that the service does not know: its
   * links then lead below the base address all the same.
   * @param from the address of the response that has the link
   * @throws TypeError if the target is not below the base address: the API key is sent nowhere else
   */
  follow(target: string, from: string = this.#base): string {
    const { href } = new URL(target, from);
    if (this.#holds(href)) return href;
    const isOwn = target.startsWith(`${this.#version}/`);
    const own = isOwn ? new URL(this.#base + target.slice(this.#version.length)).href : href;
    if (this.#holds(own)) return own;
    throw new TypeError(`${href} is not below ${this.#base}`);
  }

  #holds(address: string): boolean {
    return address.startsWith(`${this.#base}/`);
  }
}

function parsed(baseUrl: string | { readonly href: string }): URL | undefined {
  // Pages have a location, so a page may give a relative address.
  const { location } = globalThis as { location?: { readonly href: string } };
  try {
    return new URL(typeof baseUrl === "string" ? baseUrl : baseUrl.href, location?.href);
  } catch {
    return undefined;
  }
}
