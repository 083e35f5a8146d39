import { join } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { BuildSite, ErrorCode, Site } from "../../web/contract.ts";
import { describe, FAILURE_TABLE } from "../response/failure-table.ts";
import { type Rendered, text, toLast } from "../response/rendered.ts";
import { madeOnce } from "./made-once.ts";

const GUIDES = join(import.meta.dir, "../../../docs");

/**
 * The pages for people: `/`, and `/docs` with everything below it. They are built when the first of them is asked for:
 * most services never need them. Each is rendered once, and clients share it.
 */
export class SitePages {
  readonly #site: () => Promise<Site>;
  readonly #pages = new Map<string, () => Promise<Rendered | undefined>>();
  #built: Site | undefined;

  constructor(openApi: () => string, environment: Environment) {
    this.#site = madeOnce(async () => {
      // Its code is for browsers too and is checked with their types: only the contract is shared.
      const { href } = new URL("../../web/site.tsx", import.meta.url);
      const { buildSite } = (await import(href)) as { buildSite: BuildSite };
      this.#built = await buildSite({
        openApi: openApi(),
        environment,
        errors: errorCodes(),
        guides: GUIDES,
      });
      return this.#built;
    });
  }

  /** Whether a path may be one of these pages. */
  covers(path: string): boolean {
    return path === "/" || path === "/docs" || path.startsWith("/docs/");
  }

  /** The name of a page's group in metrics, once the pages are built. */
  routeOf(path: string): string | undefined {
    return this.#built?.routeOf(path);
  }

  async find(path: string): Promise<Rendered | undefined> {
    const site = await this.#site();
    if (site.routeOf(path) === undefined) return undefined;
    let page = this.#pages.get(path);
    if (!page) {
      page = madeOnce(async () => {
        const file = await site.make(path);
        return file && toLast(text(file.mediaType, file.text, file.headers));
      });
      this.#pages.set(path, page);
    }
    return page();
  }
}

/** Every code of the table, with the example that the documents show. */
function errorCodes(): ErrorCode[] {
  return (Object.keys(FAILURE_TABLE) as FailureCode[]).map((code) => {
    const { status, when, help, example } = FAILURE_TABLE[code];
    const { message, headers } = describe(new Failure(code, example));
    return { code, status, when, help, example: { message, headers } };
  });
}
