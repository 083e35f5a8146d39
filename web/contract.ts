/**
 * What the pages need from the service, and what the service gets from them. This file separates two sets of global
 * types: the browser's, with which the rest of this folder is checked, and the server's.
 */

/** One code of an Error, for its own page. */
export interface ErrorCode {
  readonly code: string;
  readonly status: number;
  /** When it happens, and what the client's developer can do: Markdown. */
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
  /** Only a sandbox has one. */
  readonly control?: ControlInterface | undefined;
}

/** The control interface of a sandbox, for its page. */
export interface ControlInterface {
  /** The path of the page, directly below that of the interface. */
  readonly page: string;
  /** The OpenAPI document of the interface. */
  readonly document: string;
  /** A key with every scope. It is in every release, and no secret. */
  readonly key: string;
}

/** A file for a browser, or where to find it. */
export interface SiteFile {
  readonly status: 200 | 308 | 404;
  readonly mediaType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a path leads to. Paths to the same file share a place, so the number of places is bounded. */
export interface SitePlace {
  /** The name of its group in metrics: paths that hold a hash or a code share one. */
  readonly route: string | undefined;
  /** Makes the file, again each time. */
  make(): Promise<SiteFile> | SiteFile;
}

export interface Site {
  /** The place at a path such as `/docs`, if there is one. */
  find(path: string): SitePlace | undefined;
  /** The "not found" page for a path. */
  missing(path: string): SitePlace | undefined;
}

export type BuildSite = (input: SiteInput) => Promise<Site>;
