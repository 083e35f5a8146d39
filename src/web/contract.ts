/**
 * What the pages need of the service, and what the service gets of them. This file stands between two sets of global
 * types: the browser's, under which the rest of this folder is checked, and the server's.
 */

/** One code of an Error, for its own page. */
export interface ErrorCode {
  readonly code: string;
  readonly status: number;
  /** When it happens, and what the client's developer does then: Markdown. */
  readonly when: string;
  readonly help: string;
  readonly example: { readonly message: string; readonly headers: Readonly<Record<string, string>> };
}

interface SiteInput {
  /** The OpenAPI document, as `/openapi.json` serves it. */
  readonly openApi: string;
  readonly environment: "production" | "staging";
  readonly errors: readonly ErrorCode[];
  /** The folder of the guides, which are Markdown files. */
  readonly guides: string;
}

/** A file for a browser. */
export interface SiteFile {
  readonly mediaType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Site {
  /** Makes the file at a path such as `/docs`, again each time; `undefined` if there is none. */
  make(path: string): Promise<SiteFile | undefined>;
  /** The name of the path's group in metrics: paths that hold a hash or a code share one. */
  routeOf(path: string): string | undefined;
}

export type BuildSite = (input: SiteInput) => Promise<Site>;
