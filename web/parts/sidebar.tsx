/** @jsxImportSource preact */
import type { ControlInterface } from "../contract.ts";
import type { ApiDocument } from "../model/document.ts";
import { Brand, EnvironmentBadge, type PlaceName } from "./brand.tsx";
import { Method } from "./labels.tsx";
import { linkFrom } from "./links.ts";

/** Pages of the site under one heading of its navigation. */
export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

const REFERENCE: NavigationGroup = {
  title: "Reference",
  pages: [
    { path: "/docs#conventions", title: "Conventions" },
    { path: "/docs#headers", title: "Response headers" },
    { path: "/docs/errors", title: "Errors" },
  ],
};

const SERVICE: NavigationGroup = {
  title: "This service",
  pages: [
    { path: "/", title: "Console" },
    { path: "/openapi.json", title: "OpenAPI as JSON" },
    { path: "/openapi.yaml", title: "OpenAPI as YAML" },
  ],
};

function serviceOf(control: ControlInterface | undefined): NavigationGroup {
  if (!control) return SERVICE;
  return { ...SERVICE, pages: [...SERVICE.pages, { path: control.page, title: "Control of this sandbox" }] };
}

function objectsOf({ objects }: ApiDocument): NavigationGroup {
  return { title: "Objects", pages: objects.map(({ name }) => ({ path: `/docs#${name}`, title: name })) };
}

interface SidebarOptions {
  readonly path: string;
  readonly api: ApiDocument;
  readonly place: PlaceName;
  readonly groups: readonly NavigationGroup[];
  readonly control: ControlInterface | undefined;
}

/**
 * The navigation of `/docs`. On a small screen it is a popover, which the top bar's button opens without a script;
 * styles show it always where there is room.
 */
export function Sidebar({ path, api, place, groups, control }: SidebarOptions) {
  const home = linkFrom(path, "/docs");
  return (
    <>
      <header class="topbar">
        <button type="button" class="icon-button" popovertarget="sidebar" aria-label="Menu">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5h14M3 10h14M3 15h14" />
          </svg>
        </button>
        <Brand home={home} />
        <EnvironmentBadge place={place} />
        <div data-search-button="small" />
      </header>
      <nav id="sidebar" class="sidebar" aria-label="Documentation" popover="auto">
        <div class="sidebar-top">
          <div class="sidebar-head">
            <Brand home={home} />
            <EnvironmentBadge place={place} />
          </div>
          <div class="search-slot" data-search-button="wide" />
        </div>
        <Operations api={api} path={path} />
        {[objectsOf(api), REFERENCE, serviceOf(control), ...groups].map((group) => (
          <Pages key={group.title} group={group} path={path} />
        ))}
        <div class="scheme-slot" data-scheme-choice />
      </nav>
    </>
  );
}

function Operations({ api, path }: { api: ApiDocument; path: string }) {
  const byTag = Map.groupBy(api.operations, ({ tag }) => tag);
  return (
    <>
      {[...byTag].map(([tag, operations]) => (
        <details key={tag} open>
          <summary>
            <h2>{tag}</h2>
          </summary>
          <ul>
            {operations.map(({ id, summary, method, isDeprecated, stability }) => (
              <li key={id}>
                <a
                  href={linkFrom(path, `/docs#${id}`)}
                  class={isDeprecated ? "operation-link deprecated" : "operation-link"}
                >
                  <span class="operation-name">{summary}</span>
                  {isDeprecated ? <span class="tag warn">deprecated</span> : null}
                  <StabilityTag stability={stability} />
                  <Method method={method} />
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

/** Short, since it stands beside the name of an operation. */
function StabilityTag({ stability }: Pick<ApiDocument["operations"][number], "stability">) {
  if (stability === "stable") return null;
  if (stability === "beta") return <span class="tag beta">beta</span>;
  return (
    <abbr class="tag experimental" title="experimental">
      exp.
    </abbr>
  );
}

function Pages({ group: { title, pages }, path }: { group: NavigationGroup; path: string }) {
  // The page of one error is below that of all errors.
  const isCurrent = (to: string) => path === to || path.startsWith(`${to}/`);
  return (
    <details open>
      <summary>
        <h2>{title}</h2>
      </summary>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={linkFrom(path, page.path)} aria-current={isCurrent(page.path) ? "page" : undefined}>
              {page.title}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
