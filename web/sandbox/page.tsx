/** @jsxImportSource preact */
import { Brand, EnvironmentBadge } from "../parts/brand.tsx";
import { Method } from "../parts/labels.tsx";
import { linkFrom } from "../parts/links.ts";
import type { ControlDocument } from "./document.ts";

/** The page that controls a sandbox. The server renders its frame and the list of operations; a script adds the rest. */
export function SandboxPage(props: {
  /** Its own path. */
  readonly page: string;
  readonly api: ControlDocument;
}) {
  const { page, api } = props;
  const guide = linkFrom(page, "/docs/guides/sandbox");
  return (
    <>
      <header class="console-bar">
        <Brand home={linkFrom(page, "/")} />
        <EnvironmentBadge place="sandbox" />
        <nav aria-label="Pages">
          <a href={linkFrom(page, "/")}>Console</a> <a href={linkFrom(page, "/docs")}>API reference</a>
        </nav>
      </header>
      <main id="main" class="sandbox" tabindex={-1}>
        <h1>This sandbox</h1>
        <p class="lead">
          It is the real service, with faults, a clock and a journal: <a href={guide}>the guide</a> explains
          them.
        </p>
        <div id="sandbox" data-fault-fields={JSON.stringify(api.faultFields)}>
          <noscript>
            <p class="callout">The buttons need JavaScript. The operations below do the same.</p>
          </noscript>
        </div>
        <section class="card" aria-labelledby="operations">
          <h2 id="operations">The control interface</h2>
          <p>
            Your tests do all this with requests, which <a href="openapi.json">an OpenAPI document</a>{" "}
            describes. A request works on the space whose API key it carries, without a key on the first.
          </p>
          <details class="more">
            <summary>{api.operations.length} operations</summary>
            <ul class="operations">
              {api.operations.map(({ id, method, path, summary }) => (
                <li key={id}>
                  <span class="operation">
                    <Method method={method} /> <code>{path}</code>
                  </span>
                  <span>{summary}</span>
                </li>
              ))}
            </ul>
          </details>
        </section>
      </main>
    </>
  );
}
