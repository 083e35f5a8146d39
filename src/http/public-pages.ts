import { Failure, type UnreadyPart } from "../domain/failure.ts";
import { failureResponse } from "./failure-response.ts";
import { type Rendered, text } from "./rendered.ts";
import { notAllowed } from "./routes.ts";

/** A page that needs no key, by its path. */
export type PublicPage = () => Rendered | Promise<Rendered>;

/** What is served outside the base path: to GET and HEAD, without a key. */
export class PublicPages {
  readonly #pages: ReadonlyMap<string, PublicPage>;

  constructor(pages: Readonly<Record<string, PublicPage>>) {
    this.#pages = new Map(Object.entries(pages));
  }

  has(path: string): boolean {
    return this.#pages.has(path);
  }

  async answer(method: string, path: string): Promise<Rendered> {
    const page = this.#pages.get(path);
    if (!page) return failureResponse(new Failure("path_not_found", { path }));
    if (method !== "GET" && method !== "HEAD") return failureResponse(notAllowed(method, ["GET"]));
    return page();
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

/** Leads to another page (RFC 9110, section 15.4.3). */
export function redirect(location: string): PublicPage {
  return () => ({ status: 302, headers: { Location: location }, body: new Uint8Array() });
}
