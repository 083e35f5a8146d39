import { Failure, type FailureDetails } from "../../domain/failure.ts";
import { notAllowed } from "../request/routes.ts";
import { type HttpResponse, text } from "../response/http-response.ts";
import { renderFailure } from "../response/render.ts";
import type { SitePages } from "./site-page.ts";

/** A page that needs no key, by its path. */
type PublicPage = () => HttpResponse | Promise<HttpResponse>;

/** The pages outside the base path, for GET and HEAD without a key. */
export class PublicPages {
  readonly #pages: ReadonlyMap<string, PublicPage>;
  readonly #site: SitePages;

  constructor(pages: Readonly<Record<string, PublicPage>>, site: SitePages) {
    this.#pages = new Map(Object.entries(pages));
    this.#site = site;
  }

  /** The name of a page in metrics; several pages below `/docs` share one. */
  routeOf(path: string): string | undefined {
    return this.#pages.has(path) ? path : this.#site.routeOf(path);
  }

  /** @param accept where nothing is found, a browser gets a page, and any other client an Error */
  async answer(method: string, path: string, accept: string | null): Promise<HttpResponse> {
    const found = this.#pages.get(path)?.() ?? (this.#site.covers(path) ? this.#site.find(path) : undefined);
    const rendered = await found;
    const isRead = method === "GET" || method === "HEAD";
    if (rendered) return isRead ? rendered : renderFailure(notAllowed(method, ["GET"]));
    const failure = new Failure("path_not_found", { path });
    const isReader = isRead && accept?.includes("text/html");
    const page = isReader ? await this.#site.missing(path) : undefined;
    return page ? { ...page, failure } : renderFailure(failure);
  }
}

/** `/livez`: the process answers. */
export const live: PublicPage = () => text("application/json", '{"status":"live"}');

/** `/readyz`: this store can be read and written, and the service is not stopping. */
export function ready(
  missing: () => Promise<FailureDetails["not_ready"] | undefined>,
  store: string | undefined,
): PublicPage {
  const body = JSON.stringify({ status: "ready", store });
  return async () => {
    const detail = await missing();
    return detail ? renderFailure(new Failure("not_ready", detail)) : text("application/json", body);
  };
}
