/** @jsxImportSource preact */
import type { ApiDocument } from "../model/document.ts";
import { Brand, EnvironmentBadge } from "./brand.tsx";
import { linkFrom } from "./links.ts";

/** A page of the site, for navigation. */
interface PageLink {
  readonly path: string;
  readonly title: string;
}

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly PageLink[];
}

interface SidebarOptions {
  readonly path: string;
  readonly api: ApiDocument;
  readonly environment: "production" | "staging";
  readonly groups: readonly NavigationGroup[];
}

/**
 * The navigation of `/docs`. On a small screen it is a popover, which the top bar's button opens without a script;
 * styles show it always where there is room.
 */
export function Sidebar({ path, api, environment, groups }: SidebarOptions) {
  const link = (to: string) => linkFrom(path, to);
  return (
    <>
      <header class="topbar">
        <button type="button" class="icon-button" popovertarget="sidebar" aria-label="Menu">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5h14M3 10h14M3 15h14" />
          </svg>
        </button>
        <Brand home={link("/docs")} />
        <EnvironmentBadge environment={environment} />
        <div data-search-button="small" />
      </header>
      <nav id="sidebar" class="sidebar" aria-label="Documentation" popover="auto">
        <div class="sidebar-head">
          <Brand home={link("/docs")} />
          <EnvironmentBadge environment={environment} />
        </div>
        <div class="search-slot" data-search-button="wide" />
        <div class="sidebar-links">
          <Operations api={api} path={path} />
          <section>
            <h2>This service</h2>
            <ul>
              <li>
                <a href={link("/")}>Console</a>
              </li>
              <li>
                <a href={link("/openapi.json")}>OpenAPI as JSON</a>
              </li>
              <li>
                <a href={link("/openapi.yaml")}>OpenAPI as YAML</a>
              </li>
            </ul>
          </section>
          {groups.map(({ title, pages }) => (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {pages.map((page) => (
                  <li key={page.path}>
                    <a href={link(page.path)} aria-current={page.path === path ? "page" : undefined}>
                      {page.title}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </nav>
    </>
  );
}

function Operations({ api, path }: { api: ApiDocument; path: string }) {
  const link = (id: string) => linkFrom(path, `/docs#${id}`);
  const byTag = Map.groupBy(api.operations, ({ tag }) => tag);
  return (
    <>
      {[...byTag].map(([tag, operations]) => (
        <section key={tag}>
          <h2>{tag}</h2>
          <ul>
            {operations.map(({ id, summary, method, isDeprecated, stability }) => (
              <li key={id}>
                <a href={link(id)} class={isDeprecated ? "operation-link deprecated" : "operation-link"}>
                  <span class="operation-name">{summary}</span>
                  {isDeprecated ? <span class="tag warn">deprecated</span> : null}
                  {stability === "stable" ? null : <span class={`tag ${stability}`}>{stability}</span>}
                  <span class={`method ${method.toLowerCase()}`}>{method}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section>
        <h2>Reference</h2>
        <ul>
          <li>
            <a href={link("conventions")}>Conventions</a>
          </li>
          <li>
            <a href={link("headers")}>Response headers</a>
          </li>
          <li>
            <a
              href={linkFrom(path, "/docs/errors")}
              aria-current={path.startsWith("/docs/errors") ? "page" : undefined}
            >
              Errors
            </a>
          </li>
        </ul>
      </section>
    </>
  );
}
