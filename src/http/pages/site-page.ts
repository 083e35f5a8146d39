import { join } from "node:path";
import type { BuildSite, ErrorCode, Site, SitePlace } from "../../../web/contract.ts";
import type { Environment } from "../../domain/environment.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { describe, FAILURE_TABLE } from "../response/failure-table.ts";
import { type HttpResponse, preEncode, text, VARY } from "../response/http-response.ts";
import { assertCanLoad } from "../runtime/descriptors.ts";
import { madeOnce } from "./made-once.ts";

const GUIDES = join(import.meta.dir, "../../../docs");

/** What a site is built from besides what it has of every service, and the paths of the pages that follow from it. */
export interface OtherPages
  extends Omit<Parameters<BuildSite>[0], "openApi" | "environment" | "errors" | "guides"> {
  readonly paths: readonly string[];
}

/**
 * The pages for people: `/`, `/llms.txt`, and `/docs` with everything below it. They are built on the first request for one of them,
 * since most services never need them. Each is rendered once, and all clients share it.
 */
export class SitePages {
  readonly #site: () => Promise<Site>;
  readonly #otherPaths: readonly string[];
  readonly #pages = new Map<SitePlace, () => Promise<HttpResponse>>();
  #built: Site | undefined;

  constructor(
    openApi: () => string,
    codes: readonly FailureCode[],
    environment: Environment,
    { paths, ...input }: OtherPages = { paths: [] },
  ) {
    this.#otherPaths = paths;
    this.#site = madeOnce(async () => {
      assertCanLoad();
      // The site's code also runs in browsers and is checked with their types: only the contract is shared.
      const { href } = new URL("../../../web/site.tsx", import.meta.url);
      const { buildSite } = (await import(href)) as { buildSite: BuildSite };
      this.#built = await buildSite({
        openApi: openApi(),
        environment,
        errors: errorCodes(codes),
        guides: GUIDES,
        ...input,
      });
      return this.#built;
    });
  }

  /** Whether a path may be one of these pages. */
  covers(path: string): boolean {
    if (path === "/" || path === "/llms.txt" || path === "/docs" || path.startsWith("/docs/")) return true;
    return this.#otherPaths.includes(path);
  }

  /** The name of a page's group in metrics, once the pages are built. */
  routeOf(path: string): string | undefined {
    return this.#built?.find(path)?.route;
  }

  async find(path: string): Promise<HttpResponse | undefined> {
    return this.#render((await this.#site()).find(path));
  }

  /** The page for a browser that asked for a page that does not exist. */
  async missing(path: string): Promise<HttpResponse | undefined> {
    return this.#render((await this.#site()).missing(path));
  }

  async #render(place: SitePlace | undefined): Promise<HttpResponse | undefined> {
    if (place === undefined) return undefined;
    let page = this.#pages.get(place);
    if (!page) {
      page = madeOnce(async () => {
        const file = await place.make();
        const rendered = text(file.mediaType, file.text, file.headers);
        if (file.status === 200) return preEncode(rendered, "thorough");
        // Conditions apply to a 200 only (RFC 9110, section 13.2.1), so no other status has a tag.
        const { ETag: _, ...headers } = rendered.headers;
        const withoutTag = {
          ...rendered,
          status: file.status,
          headers: { ...headers, Vary: `Accept, ${VARY}` },
        };
        return preEncode(withoutTag, "thorough");
      });
      this.#pages.set(place, page);
    }
    return page();
  }
}

/** The codes that the service may return, with the example that the documents show. */
function errorCodes(codes: readonly FailureCode[]): ErrorCode[] {
  return codes.map((code) => {
    const { status, when, help, example } = FAILURE_TABLE[code];
    const { message, headers } = describe(new Failure(code, example));
    return { code, status, when, help, example: { message, headers } };
  });
}
