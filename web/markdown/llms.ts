import type { ErrorCode } from "../contract.ts";
import type { Guide } from "../guides/guides.ts";
import type { ApiDocument } from "../model/document.ts";
import type { NavigationGroup } from "../parts/sidebar.tsx";
import { SAMPLE_LANGUAGES, samplesPath } from "../samples/samples.ts";

/** Where the Markdown of a page is. The reference's has a name of its own, to be below `/docs` as well. */
export function markdownPath(path: string): string {
  return path === "/docs" ? "/docs/reference.md" : `${path}.md`;
}

/** `/llms.txt`: what there is to read about this service, as https://llmstxt.org describes it. */
export function llmsText(api: ApiDocument, groups: readonly NavigationGroup[]): string {
  const lines = (pages: NavigationGroup["pages"]) =>
    pages.map(({ path, title }) => `- [${title}](${markdownPath(path).slice(1)})`).join("\n");
  return [
    `# ${api.title}`,
    `> ${api.summary}`,
    "## Reference",
    `${lines([
      { path: "/docs", title: "API reference" },
      { path: "/docs/errors", title: "Errors" },
    ])}\n- [OpenAPI document](openapi.json)\n- [Workflows of several requests, by Arazzo 1.0](arazzo.json)`,
    "## Samples",
    lines(SAMPLE_LANGUAGES.map((language) => ({ path: samplesPath(language), title: language.title }))),
    ...groups.flatMap(({ title, pages }) => [`## ${title}`, lines(pages)]),
  ]
    .join("\n\n")
    .concat("\n");
}

/** All errors on one page. */
export function errorsMarkdown(errors: readonly ErrorCode[]): string {
  const sections = errors.map(
    ({ code, status, when, help }) => `## \`${code}\` (${status})\n\n${when}\n\n${help}`,
  );
  return `${["# Errors", ...sections].join("\n\n")}\n`;
}

const CODE_BLOCK = /(^```.*?^```$)/gms;
const LINK = /!?\[([^\]]*)\]\(([^)\s]+)\)/g;

/** A guide whose links lead to the Markdown of pages; a link to a file that has no page becomes its text. */
export function guideMarkdown({ markdown }: Guide, link: (href: string) => string | undefined): string {
  const withLinks = (text: string) =>
    text.replaceAll(LINK, (all: string, words: string, href: string) => {
      // A picture is its description.
      if (all.startsWith("!")) return words;
      const target = link(href);
      return target === undefined ? words : `[${words}](${withSuffix(target)})`;
    });
  // Every second part is a block of code.
  return markdown
    .split(CODE_BLOCK)
    .map((part, at) => (at % 2 === 0 ? withLinks(part) : part))
    .join("");
}

function withSuffix(target: string): string {
  if (/^(#|https?:)/.test(target)) return target;
  // All errors share a file.
  const [path = "", fragment] = target.replace(/errors\/(\w+)$/, "errors#$1").split("#");
  return `${path}.md${fragment ? `#${fragment}` : ""}`;
}
