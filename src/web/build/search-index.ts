import type { ErrorCode } from "../contract.ts";
import type { Guide } from "../guides/guides.ts";
import type { ApiDocument } from "../model/document.ts";
import { renderMarkdown } from "./markdown.ts";

/** A place that search finds. */
export interface SearchEntry {
  /** From the root, without a leading slash. */
  readonly to: string;
  readonly title: string;
  /** What it belongs to: the page's title, or the kind of thing. */
  readonly kind: string;
  readonly text: string;
}

/** All that can be read below `/docs`, section by section. */
export async function searchIndex(
  api: ApiDocument,
  errors: readonly ErrorCode[],
  guides: readonly Guide[],
): Promise<SearchEntry[]> {
  const operations = api.operations.map(({ id, method, path, summary, description, parameters }) => ({
    to: `docs#${id}`,
    title: summary,
    kind: `${method} ${path}`,
    text: plain(
      [id, description, ...parameters.map(({ name, description }) => `${name}: ${description}`)].join(" "),
    ),
  }));
  const codes = errors.map(({ code, status, when, help }) => ({
    to: `docs/errors/${code}`,
    title: code,
    kind: `Error ${status}`,
    text: plain(`${when} ${help}`),
  }));
  const headers = api.headers.map(({ name, description }) => ({
    to: `docs#header-${name.toLowerCase()}`,
    title: name,
    kind: "Header",
    text: plain(description),
  }));
  const sections = await Promise.all(guides.map(sectionsOf));
  return [...operations, ...codes, ...headers, ...sections.flat()];
}

/** A guide's sections, which begin at its headings. */
async function sectionsOf({ path, title, markdown }: Guide): Promise<SearchEntry[]> {
  const { headings } = await renderMarkdown(markdown);
  const texts = markdown
    .replaceAll(/^```.*?^```$/gms, (code) => code.replaceAll(/^#/gm, ""))
    .split(/^#{1,6}\s.*$/m)
    .slice(1);
  return headings.map(({ id, text: heading, depth }, at) => ({
    to: depth === 1 ? path.slice(1) : `${path.slice(1)}#${id}`,
    title: heading,
    kind: depth === 1 ? "Guide" : title,
    text: plain(texts[at] ?? ""),
  }));
}

/** Markdown as running text. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/```\w*|[`*|#>]|\]\([^)]*\)|\[|-{3,}|<!--.*?-->/gs, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
