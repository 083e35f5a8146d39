import { basename, dirname, join } from "node:path";
import type { ApiDocument } from "../model/document.ts";
import { linkFrom } from "../parts/links.ts";
import type { NavigationGroup } from "../parts/sidebar.tsx";
import { readFiles } from "./files.ts";

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
/** Files that have pages of their own, or that help neither to use a service nor to operate it. */
const LEFT_OUT =
  /^(errors\.md|decisions\/|recipes\/|README\.md|glossary\.md|debugging\.md|internals\.md|performance\.md|comparison\.md)/;
const GROUPS = ["Use it", "In your language", "Operate it"] as const;
/** Files beside `guides/` for people who call the service. */
const FOR_CALLERS = ["clients"];

/** The order of the guides; others follow by name. */
const ORDER = [
  "start",
  "keys",
  "paging",
  "retries",
  "orders",
  "events",
  "webhooks",
  "judge-receiver",
  "caching",
  "versioning",
  "clients",
  "sandbox",
  "judge",
  "agents",
  "install",
  "operations",
  "settings",
  "data",
  "postgresql",
  "scaling",
  "verify",
];

/** Guides to operations that not every service offers, with the operation that a service must offer to show the guide. */
const ABOUT: Readonly<Record<string, string>> = {
  orders: "listOrders",
  events: "listEvents",
  webhooks: "listEvents",
  "judge-receiver": "listEvents",
};

/** The address in the files, which are also read where no service runs. */
const ADDRESS_IN_FILES = "http://127.0.0.1:8080";
const BASE_PATH = "/v1";

/** Reads the guides to the operations that this service offers. Those for callers name its own address. */
export async function readGuides(folder: string, { operations, base }: ApiDocument): Promise<Guide[]> {
  const offered = new Set(operations.map(({ id }) => id));
  const guides = (await readFiles(folder))
    .filter(({ file }) => !LEFT_OUT.test(file))
    .filter(({ file }) => offered.has(ABOUT[nameOf(file)] ?? "listPets"))
    .map(({ file, markdown: text }) => {
      const name = nameOf(file);
      const markdown = namesOwnAddress(file) ? withAddress(text, base) : text;
      return { path: `/docs/guides/${name}`, file, markdown, title: TITLE.exec(markdown)?.[1] ?? name };
    });
  return guides.sort((one, other) => rank(one) - rank(other) || (one.file < other.file ? -1 : 1));
}

/** A sandbox runs on its user's machine, wherever the service is that shows the guide. */
function namesOwnAddress(file: string): boolean {
  return groupOf(file) !== "Operate it" && nameOf(file) !== "sandbox";
}

/** A proxy may serve the service below a path of its own, and leave out the segment of the version. */
function withAddress(markdown: string, base: string): string {
  const root = base.endsWith(BASE_PATH) ? base.slice(0, -BASE_PATH.length) : base;
  return markdown.replaceAll(ADDRESS_IN_FILES + BASE_PATH, base).replaceAll(ADDRESS_IN_FILES, root);
}

/** `guides/` is for people who call the service; most of what lies beside it is for people who run it. */
export function groupsOf(guides: readonly Guide[]): NavigationGroup[] {
  const groups = Map.groupBy(guides, ({ file }) => groupOf(file));
  return GROUPS.map((title) => ({ title, pages: groups.get(title) ?? [] })).filter(
    ({ pages }) => pages.length > 0,
  );
}

function groupOf(file: string): (typeof GROUPS)[number] {
  if (FOR_CALLERS.includes(nameOf(file))) return "Use it";
  const folder = dirname(file);
  return folder === "guides" ? "Use it" : folder === "clients" ? "In your language" : "Operate it";
}

function rank({ file }: Guide): number {
  const at = ORDER.indexOf(nameOf(file));
  return at < 0 ? ORDER.length : at;
}

function nameOf(file: string): string {
  return basename(file, ".md").toLowerCase();
}

/** The file that a guide names, by its path from the folder of the guides. */
export function fileOf(href: string, { file }: Guide): string {
  return join(dirname(file), href);
}

/** The address of a link in a guide: the page of the file that it names; `undefined` if the file has no page. */
export function guideLink(href: string, guide: Guide, guides: readonly Guide[]): string | undefined {
  if (href.startsWith("#") || /^https?:/.test(href)) return href;
  const [target = "", fragment] = href.split("#");
  const file = fileOf(target, guide);
  if (file === "errors.md")
    return linkFrom(guide.path, fragment ? `/docs/errors/${fragment}` : "/docs/errors");
  const found = guides.find((each) => each.file === file);
  return found && linkFrom(guide.path, fragment ? `${found.path}#${fragment}` : found.path);
}
