/** @jsxImportSource preact */
import { basename } from "node:path";
import type { ComponentChildren } from "preact";
import { Assets } from "./build/assets.ts";
import { renderMarkdown } from "./build/markdown.ts";
import { searchIndex } from "./build/search-index.ts";
import { page, plainText, redirect } from "./build/site-file.ts";
import { ConsolePage } from "./console/page.tsx";
import type { BuildSite, SitePlace } from "./contract.ts";
import { ErrorPage, prepareError } from "./guides/error-page.tsx";
import { ErrorsPage } from "./guides/errors-page.tsx";
import { readPictures } from "./guides/files.ts";
import { fileOf, groupsOf, guideLink, readGuides } from "./guides/guides.ts";
import { MissingPage } from "./guides/missing.tsx";
import { GuidePage } from "./guides/page.tsx";
import { errorsMarkdown, guideMarkdown, llmsText, markdownPath } from "./markdown/llms.ts";
import { referenceMarkdown } from "./markdown/reference.ts";
import { samplesMarkdown } from "./markdown/samples.ts";
import { readDocument } from "./model/document.ts";
import { icon } from "./parts/icon.tsx";
import { linkFrom } from "./parts/links.ts";
import { Shell } from "./parts/shell.tsx";
import { Sidebar } from "./parts/sidebar.tsx";
import { ReferencePage } from "./reference/page.tsx";
import { prepareCodes, prepareReference } from "./reference/prepare.ts";
import { SAMPLE_LANGUAGES, samplesPath } from "./samples/samples.ts";
import { readControl } from "./sandbox/document.ts";
import { SandboxNotice } from "./sandbox/notice.tsx";
import { SandboxPage } from "./sandbox/page.tsx";

/** Makes the pages for people from the OpenAPI document, the table of errors and the guides. */
export const buildSite: BuildSite = async ({ openApi, environment, errors, guides: folder, control }) => {
  const api = readDocument(openApi, environment);
  const guides = await readGuides(folder, api);
  const groups = groupsOf(guides);
  const assets = await Assets.load(icon(environment));
  // Without the address of this process, the index is the same in every process.
  assets.add(
    "search.json",
    JSON.stringify(searchIndex(api, errors, guides)).replaceAll(new URL(api.base).origin, ""),
  );

  const drawings = new Map((await readPictures(folder)).map(({ file, svg }) => [file, svg]));
  for (const [file, svg] of drawings) assets.add(nameOfPicture(file), svg);

  const place = control ? "sandbox" : environment;

  const files = new Set<string>();
  const documentation = (path: string, title: string, description: string, content: ComponentChildren) =>
    page(
      <Shell
        {...{ path, description, environment, place, assets }}
        markdown={files.has(markdownPath(path)) ? markdownPath(path) : undefined}
        title={`${title}: Animal Store`}
        page={path === "/docs" ? "reference" : "guide"}
      >
        <Sidebar {...{ path, api, place, groups, control }} />
        {content}
      </Shell>,
    );

  const places = new Map<string, SitePlace>();
  const add = (path: string, make: SitePlace["make"]) => {
    const route = path.replace(/^(\/docs\/(?:errors|guides|samples))\/.+/, "$1/{name}");
    places.set(path, { route, make });
    if (path !== "/") places.set(`${path}/`, { route, make: () => redirect(path) });
  };
  const addDocumentation = (
    path: string,
    title: string,
    description: string,
    content: () => Promise<ComponentChildren>,
  ) => add(path, async () => documentation(path, title, description, await content()));

  const addText = (path: string, make: () => string) => {
    files.add(path);
    places.set(path, {
      route: path.replace(/^\/docs\/.+/, "/docs/{name}.md"),
      make: () => plainText(path, make()),
    });
  };

  add("/", () =>
    page(
      <Shell
        {...{ environment, place, assets }}
        path="/"
        title={`Animal Store (${place})`}
        description="The stock of this Animal Store, to see and to change."
        page="console"
      >
        {control ? <SandboxNotice page={control.page} /> : null}
        <ConsolePage place={place} api={api} sandboxKey={control?.key} />
      </Shell>,
    ),
  );
  if (control) {
    const make = () =>
      page(
        <Shell
          {...{ environment, place, assets }}
          path={control.page}
          title="Control of this sandbox: Animal Store"
          description="Faults, clock, spaces, snapshots and journal of this sandbox."
          page="sandbox"
        >
          <SandboxPage page={control.page} api={readControl(control.document)} />
        </Shell>,
      );
    places.set(control.page, { route: control.page, make });
  }
  addDocumentation(
    "/docs",
    "API reference",
    "How to use the HTTP interface of this Animal Store.",
    async () => <ReferencePage {...{ api, place }} prepared={await prepareReference(api, errors)} />,
  );
  addDocumentation(
    "/docs/errors",
    "Errors",
    "Every error code of this Animal Store, when it happens and what to do.",
    async () => <ErrorsPage errors={await prepareCodes(errors)} />,
  );
  for (const error of errors) {
    const { code } = error;
    addDocumentation(
      `/docs/errors/${code}`,
      code,
      `When the error ${code} happens and what to do.`,
      async () => <ErrorPage prepared={await prepareError(error, api)} all={errors} />,
    );
  }
  const inOrder = groups.flatMap(({ pages }) => pages);
  for (const guide of guides) {
    const { path, title, markdown } = guide;
    const at = inOrder.findIndex((each) => each.path === path);
    const [previous, next] = [at - 1, at + 1].map((index) => {
      const page = inOrder[index];
      return page && { href: linkFrom(path, page.path), title: page.title };
    });
    const link = (href: string) => guideLink(href, guide, guides);
    const picture = (href: string) => {
      const file = fileOf(href, guide);
      const [size] = /width="\d+" height="\d+"/.exec(drawings.get(file) ?? "") ?? [];
      return size === undefined
        ? undefined
        : { src: linkFrom(path, assets.pathOf(nameOfPicture(file))), size };
    };
    addDocumentation(path, title, `${title}: a guide to Animal Store.`, async () => (
      <GuidePage {...(await renderMarkdown(markdown, { link, picture }))} {...{ previous, next }} />
    ));
  }

  for (const language of SAMPLE_LANGUAGES) {
    const title = `Samples in ${language.title}`;
    const markdown = () => samplesMarkdown(language, api);
    addText(markdownPath(samplesPath(language)), markdown);
    addDocumentation(
      samplesPath(language),
      title,
      `${title} for each operation of this Animal Store.`,
      async () => <GuidePage {...(await renderMarkdown(markdown()))} />,
    );
  }

  addText("/llms.txt", () => llmsText(api, groups));
  addText(markdownPath("/docs"), () => referenceMarkdown(api));
  addText(markdownPath("/docs/errors"), () => errorsMarkdown(errors));
  for (const guide of guides)
    addText(markdownPath(guide.path), () => guideMarkdown(guide, (href) => guideLink(href, guide, guides)));

  // The links of a page depend only on the depth of its path.
  const missing = Array.from({ length: DEPTH_MAX }, (_, depth): SitePlace => {
    const path = `/${"x/".repeat(depth)}x`;
    const description = "There is no page at this address.";
    const make = () => documentation(path, "Page not found", description, <MissingPage path={path} />);
    return { route: undefined, make: () => ({ ...make(), status: 404 }) };
  });
  return {
    find: (path) => assets.at(path) ?? places.get(path),
    missing: (path) => missing[path.split("/").length - 2],
  };
};

/** The name of a drawing among the assets. */
function nameOfPicture(file: string): `${string}.svg` {
  return `${basename(file, ".svg")}.svg`;
}

/** The depth of paths up to which the response is a page; a deeper one gets an Error. */
const DEPTH_MAX = 5;
