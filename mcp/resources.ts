import type { Pages } from "./pages.ts";

/** Something to read, as `resources/list` shows it. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

const LINK = /^- \[(.+)\]\((\S+)\)$/gm;

/** The pages that the service lists in its `llms.txt`: the reference, the errors, the guides and the samples. */
export async function resourcesOf(pages: Pages, isSandbox: boolean): Promise<Resource[]> {
  const listed = [...(await pages.text("/llms.txt")).matchAll(LINK)].map(([, title = "", path = ""]) => ({
    title,
    path: `/${path}`,
  }));
  const all = isSandbox
    ? [...listed, { title: "Control interface of this sandbox", path: "/_sandbox/openapi.json" }]
    : listed;
  return all.map(({ title, path }) => ({
    uri: pages.root + path,
    name: path.slice(path.lastIndexOf("/") + 1),
    title,
    mimeType: path.endsWith(".json") ? "application/json" : "text/markdown",
  }));
}

/** The contents of one of them, as `resources/read` shows it. @throws Error if it cannot be read */
export async function contentsOf({ uri, mimeType }: Resource, pages: Pages, signal: AbortSignal) {
  return { contents: [{ uri, mimeType, text: await pages.text(uri.slice(pages.root.length), signal) }] };
}
