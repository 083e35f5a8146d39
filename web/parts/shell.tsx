/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Assets } from "../build/assets.ts";
import type { PlaceName } from "./brand.tsx";
import { linkFrom, rootFrom } from "./links.ts";

interface ShellOptions {
  /** The page's own path, such as `/docs/errors/overloaded`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly environment: "production" | "staging";
  readonly place: PlaceName;
  readonly assets: Assets;
  /** What its own script is called; `start.js` is on every page. */
  readonly page: "reference" | "guide" | "console" | "sandbox";
  /** The path of the page's Markdown, if it has some. */
  readonly markdown?: string | undefined;
  readonly children: ComponentChildren;
}

/** The frame of every page. */
export function Shell(options: ShellOptions) {
  const { path, title, description, environment, place, assets, page, markdown } = options;
  const isConsole = page === "console" || page === "sandbox";
  // The console of a sandbox looks in part as the page "sandbox" does.
  const style = !isConsole ? "reference" : place === "sandbox" ? "sandbox" : page;
  const asset = (name: Parameters<Assets["pathOf"]>[0]) => linkFrom(path, assets.pathOf(name));
  return (
    <html
      lang="en"
      class={isConsole ? "console" : "documentation"}
      data-environment={environment}
      data-sandbox={place === "sandbox" ? "" : undefined}
      data-root={rootFrom(path)}
      data-search={page === "sandbox" ? undefined : asset("search.json")}
      data-feed={page === "console" ? asset("feed.js") : undefined}
      data-dialogs={page === "console" ? `${asset("dialogs.js")} ${asset("dialogs.css")}` : undefined}
      data-palette={
        page === "sandbox"
          ? undefined
          : `${asset(isConsole ? "palette.js" : "search.js")} ${asset("search.css")}`
      }
      data-find={page === "console" ? asset("find.js") : undefined}
      data-share={page === "console" || page === "reference" ? asset("share.js") : undefined}
      data-samples={page === "reference" ? asset("samples.js") : undefined}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={asset("icon.svg")} type="image/svg+xml" />
        {markdown ? <link rel="alternate" type="text/markdown" href={linkFrom(path, markdown)} /> : null}
        {style === "reference" ? (
          <link rel="alternate" type="text/plain" href={linkFrom(path, "/llms.txt")} title="llms.txt" />
        ) : null}
        <link rel="stylesheet" href={asset(`${style}.css`)} />
        <script src={asset("start.js")} />
        <script src={asset(`${page}.js`)} type="module" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {options.children}
      </body>
    </html>
  );
}
