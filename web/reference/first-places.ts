import { recentPlaces } from "../browser/recent.ts";
import type { SearchEntry } from "../model/search-entry.ts";
import { type Finding, isOperation } from "./find.ts";

/** The kind of the places of the page that search was opened on. */
export const HERE = "Console";

const RECENT_MAX = 5;

/** Places that search shows together, under a title; without one where they answer a query. */
export interface Group {
  readonly title?: string;
  readonly findings: readonly Finding[];
}

/**
 * What is offered before anything is typed: where this tab has been, and then the places of this page, or the operations.
 *
 * @param nameOf the name of what the console shows at an address, where there is one
 */
export function firstPlaces(
  entries: readonly SearchEntry[],
  nameOf: (to: string) => string | undefined,
): readonly Group[] {
  const recent = recentPlaces()
    // But not where this tab is.
    .filter(({ to }) => !location.href.endsWith(to))
    .slice(0, RECENT_MAX)
    .map(({ to, title }) => {
      const name = nameOf(to);
      return { to, title: name ?? title, kind: name ? title : kindOf(to), text: "" };
    });
  const others = entries.filter(({ kind }) => kind === HERE || isOperation(kind));
  return [
    { title: "Recent", findings: recent.map(asFinding) },
    { title: others[0]?.kind === HERE ? "Lists" : "Operations", findings: others.map(asFinding) },
  ].filter(({ findings }) => findings.length > 0);
}

function asFinding(entry: SearchEntry): Finding {
  return { entry, marks: [], excerpt: "" };
}

function kindOf(to: string): string {
  if (to.startsWith("?")) return HERE;
  return to.startsWith("docs/guides/") ? "Guide" : "Reference";
}
