/** @jsxImportSource preact */
import type { ApiDocument } from "../model/document.ts";
import { Brand, EnvironmentBadge } from "../parts/brand.tsx";

/** The frame of the console, which the server renders. The rest needs a script, because it needs a key. */
export function ConsolePage(props: {
  readonly environment: "production" | "staging";
  readonly operations: ApiDocument["operations"];
}) {
  const { environment, operations } = props;
  const scopes = new Set(operations.flatMap((operation) => operation.scopes));
  return (
    <>
      <header class="console-bar">
        <Brand home="./" />
        <EnvironmentBadge environment={environment} />
        <nav aria-label="Site">
          <a href="docs">API reference</a>
        </nav>
      </header>
      <main id="main" tabindex={-1}>
        <div
          id="console"
          data-operations={operations.map(({ id }) => id).join(" ")}
          data-scopes={[...scopes].join(",")}
        >
          <noscript>
            <div class="card">
              <h1>The console needs JavaScript</h1>
              <p class="lead">
                The <a href="docs">reference</a> does not: it shows how to list and add animals from a
                terminal.
              </p>
            </div>
          </noscript>
        </div>
      </main>
    </>
  );
}
