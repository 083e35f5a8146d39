import { Failure, type UnreadyPart } from "../../domain/failure.ts";
import { failureResponse } from "../response/failure-response.ts";
import { type Rendered, text } from "../response/rendered.ts";
import { notAllowed } from "../routes.ts";
import type { SitePages } from "./site-page.ts";

/** A page that needs no key, by its path. */
type PublicPage = () => Rendered | Promise<Rendered>;

/** What is served outside the base path: to GET and HEAD, without a key. */
export class PublicPages {
  readonly #pages: ReadonlyMap<string, PublicPage>;
  readonly #site: SitePages;

  constructor(pages: Readonly<Record<string, PublicPage>>, site: SitePages) {
    this.#pages = new Map(Object.entries(pages));
    this.#site = site;
  }

  /** The name of a page in metrics: pages below `/docs` share some. */
  routeOf(path: string): string | undefined {
    return this.#pages.has(path) ? path : this.#site.routeOf(path);
  }

  async answer(method: string, path: string): Promise<Rendered> {
    const page = this.#pages.get(path)?.() ?? (this.#site.covers(path) ? this.#site.find(path) : undefined);
    const rendered = await page;
    if (!rendered) return failureResponse(new Failure("path_not_found", { path }));
    if (method !== "GET" && method !== "HEAD") return failureResponse(notAllowed(method, ["GET"]));
    return rendered;
  }
}

/** `/livez`: the process answers. */
export const live: PublicPage = () => text("application/json", '{"status":"live"}');

/** `/readyz`: the store can be read and written, and the service is not stopping. */
export function ready(missing: () => Promise<UnreadyPart | undefined>): PublicPage {
  return async () => {
    const part = await missing();
    return part === undefined
      ? text("application/json", '{"status":"ready"}')
      : failureResponse(new Failure("not_ready", { part }));
  };
}
