import { basename, dirname, join } from "node:path";
import type { NavigationGroup } from "../parts/sidebar.tsx";

/** A Markdown file of `docs/`. */
export interface Guide {
  /** Its page: `/docs/guides/paging`. */
  readonly path: string;
  /** The file, from the folder of the guides: `guides/paging.md`. */
  readonly file: string;
  readonly title: string;
  readonly markdown: string;
}

const TITLE = /^#\s+(.+)$/m;
/** Pages of their own, or nothing for the readers of a service. */
const LEFT_OUT = /^(errors\.md|decisions\/|README\.md)/;

/** In which order a reader needs them; others follow by name. */
const ORDER = [
  "start",
  "keys",
  "paging",
  "retries",
  "caching",
  "versioning",
  "clients",
  "operations",
  "data",
  "postgresql",
  "scaling",
  "verify",
  "performance",
];

export async function readGuides(folder: string): Promise<Guide[]> {
  const files = await Array.fromAsync(new Bun.Glob("**/*.md").scan(folder)).catch(() => []);
  const guides = files
    .filter((file) => !LEFT_OUT.test(file))
    .map(async (file) => {
      const markdown = await Bun.file(join(folder, file)).text();
      const name = nameOf(file);
      return { path: `/docs/guides/${name}`, file, markdown, title: TITLE.exec(markdown)?.[1] ?? name };
    });
  return (await Promise.all(guides)).sort(
    (one, other) => rank(one) - rank(other) || (one.file < other.file ? -1 : 1),
  );
}

/** `guides/` is for who calls the service; what lies beside it is for who runs it. */
export function groupsOf(guides: readonly Guide[]): NavigationGroup[] {
  const groups = Map.groupBy(guides, ({ file }) =>
    dirname(file) === "." ? "Running it" : capitalized(dirname(file)),
  );
  return [...groups]
    .map(([title, pages]) => ({ title, pages }))
    .sort((one, other) => Number(one.title === "Running it") - Number(other.title === "Running it"));
}

function rank({ file }: Guide): number {
  const at = ORDER.indexOf(nameOf(file));
  return at < 0 ? ORDER.length : at;
}

function nameOf(file: string): string {
  return basename(file, ".md").toLowerCase();
}

function capitalized(text: string): string {
  return text.replace(/^./, (first) => first.toUpperCase());
}
