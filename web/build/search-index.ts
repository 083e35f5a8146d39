import type { ErrorCode } from "../contract.ts";
import type { Guide } from "../guides/guides.ts";
import type { ApiDocument } from "../model/document.ts";
import type { SearchEntry } from "../model/search-entry.ts";
import { SAMPLE_LANGUAGES, samplesPath } from "../samples/samples.ts";
import { headingOf } from "./markdown.ts";

/** Everything below `/docs`, section by section. */
export function searchIndex(
  api: ApiDocument,
  errors: readonly ErrorCode[],
  guides: readonly Guide[],
): SearchEntry[] {
  const operations = api.operations.map(({ id, method, path, summary, description, parameters }) => ({
    to: `docs#${id}`,
    title: summary,
    kind: `${method} ${path} ${id}`,
    text: plain(
      [description, ...parameters.map(({ name, description }) => `${name}: ${description}`)].join(" "),
    ),
  }));
  const objects = api.objects.map(({ name, schema: { description = "", properties = {} } }) => ({
    to: `docs#${name}`,
    title: name,
    kind: "Object",
    text: plain([description, ...Object.keys(properties)].join(" ")),
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
  const samples = SAMPLE_LANGUAGES.map((language) => ({
    to: samplesPath(language).slice(1),
    title: `Samples in ${language.title}`,
    kind: "Samples",
    text: api.operations.map(({ summary }) => summary).join(". "),
  }));
  const allErrors = {
    to: "docs/errors",
    title: "Errors",
    kind: "Reference",
    text: "Every error code with its status, when it happens and what to do.",
  };
  const conventions = sectionsOf({ path: "/docs", title: "Conventions", markdown: `\n${api.description}` });
  const all = [...operations, ...objects, allErrors, ...codes, ...headers, ...samples, ...conventions];
  return [...all, ...guides.flatMap(sectionsOf)];
}

const CODE_BLOCK = /^```.*?^```$/gms;
const HEADING = /^(#{1,6})\s+(.+)$/gm;

/** A guide's sections, which begin at its headings. It looks at lines only, since parsing all guides takes 0.1 s. */
function sectionsOf({ path, title, markdown }: Pick<Guide, "path" | "title" | "markdown">): SearchEntry[] {
  const text = markdown.replaceAll(CODE_BLOCK, (code) => code.replaceAll(/^#/gm, ""));
  const lines = [...text.matchAll(HEADING)];
  const taken = new Map<string, number>();
  return lines.map((line, at) => {
    const [whole, marks = "", words = ""] = line;
    const heading = headingOf(words, marks.length, taken);
    return {
      to: heading.depth === 1 ? path.slice(1) : `${path.slice(1)}#${heading.id}`,
      title: heading.text,
      kind: heading.depth === 1 ? "Guide" : title,
      text: plain(text.slice(line.index + whole.length, lines[at + 1]?.index)),
    };
  });
}

/** Markdown as running text. What marks words leaves no space: a comma may follow. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/```\w*|[|#]|^>|-{3,}|<!--.*?-->/gms, " ")
    .replaceAll(/[`*[]|\]\([^)]*\)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
