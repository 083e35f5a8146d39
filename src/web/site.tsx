/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Assets } from "./build/assets.ts";
import { renderMarkdown } from "./build/markdown.ts";
import { searchIndex } from "./build/search-index.ts";
import { page, redirect } from "./build/site-file.ts";
import { ConsolePage } from "./console/page.tsx";
import type { BuildSite, SiteFile, SitePlace } from "./contract.ts";
import { ErrorPage, prepareError } from "./guides/error-page.tsx";
import { ErrorsPage } from "./guides/errors-page.tsx";
import { groupsOf, guideLink, readGuides } from "./guides/guides.ts";
import { MissingPage } from "./guides/missing.tsx";
import { GuidePage } from "./guides/page.tsx";
import { readDocument } from "./model/document.ts";
import { icon } from "./parts/icon.tsx";
import { Shell, type ShellOptions } from "./parts/shell.tsx";
import { Sidebar } from "./parts/sidebar.tsx";
import { ReferencePage } from "./reference/page.tsx";
import { prepareReference } from "./reference/prepare.ts";

/** Makes the pages for people from the OpenAPI document, the table of errors and the guides. */
export const buildSite: BuildSite = async ({ openApi, environment, errors, guides: folder }) => {
  const api = readDocument(openApi);
  const guides = await readGuides(folder, new Set(api.operations.map(({ id }) => id)));
  const groups = groupsOf(guides);
  const assets = await Assets.load(icon(environment));
  assets.add("search.json", JSON.stringify(searchIndex(api, errors, guides)));

  const documentation = (
    path: string,
    title: string,
    description: string,
    content: ComponentChildren,
    script: ShellOptions["script"] = "reference.js",
  ) =>
    page(
      <Shell {...{ path, title, description, environment, assets, script }} class="documentation">
        <Sidebar path={path} api={api} environment={environment} groups={groups} />
        {content}
      </Shell>,
    );

  const pages = new Map<string, () => Promise<SiteFile> | SiteFile>([
    [
      "/",
      () =>
        page(
          <Shell
            path="/"
            title={`Animal Store (${environment})`}
            description="The stock of this Animal Store, to see and to change."
            environment={environment}
            assets={assets}
            script="console.js"
            class="console"
          >
            <ConsolePage environment={environment} operations={api.operations} />
          </Shell>,
        ),
    ],
    [
      "/docs",
      async () =>
        documentation(
          "/docs",
          "API reference: Animal Store",
          "How to use the HTTP interface of this Animal Store.",
          <ReferencePage api={api} prepared={await prepareReference(api, errors)} />,
        ),
    ],
    [
      "/docs/errors",
      async () =>
        documentation(
          "/docs/errors",
          "Errors: Animal Store",
          "Every error code of this Animal Store, when it happens and what to do.",
          <ErrorsPage errors={await Promise.all(errors.map((error) => prepareError(error, api)))} />,
        ),
    ],
    ...errors.map((error): [string, () => Promise<SiteFile>] => {
      const path = `/docs/errors/${error.code}`;
      return [
        path,
        async () =>
          documentation(
            path,
            `${error.code}: Animal Store`,
            `When the error ${error.code} happens and what to do.`,
            <ErrorPage prepared={await prepareError(error, api)} all={errors} />,
          ),
      ];
    }),
    ...guides.map((guide): [string, () => Promise<SiteFile>] => [
      guide.path,
      async () => {
        const rendered = await renderMarkdown(guide.markdown, {
          link: (href) => guideLink(href, guide, guides),
        });
        return documentation(
          guide.path,
          `${guide.title}: Animal Store`,
          `${guide.title}: a guide to Animal Store.`,
          <GuidePage {...rendered} />,
        );
      },
    ]),
  ]);

  const places = new Map<string, SitePlace>();
  for (const [path, make] of pages) {
    const route = path.replace(/^(\/docs\/(?:errors|guides))\/.+/, "$1/{name}");
    places.set(path, { route, make });
    if (path !== "/") places.set(`${path}/`, { route, make: () => redirect(path) });
  }
  // A page's links depend on how deep its path is, and on nothing else of it.
  const missing = Array.from({ length: DEPTH_MAX }, (_, depth): SitePlace => {
    const path = `/docs/${"x/".repeat(depth)}x`;
    const title = "Page not found: Animal Store";
    const make = () =>
      documentation(path, title, "There is no page at this address.", <MissingPage path={path} />);
    return { route: undefined, make: () => ({ ...make(), status: 404 }) };
  });
  return {
    find: (path) => assets.at(path) ?? places.get(path),
    missing: (path) => missing[path.split("/").length - 3],
  };
};

/** How many folders a path below `/docs` may be deep to be answered with a page. */
const DEPTH_MAX = 4;
