import { Brand, EnvironmentBadge } from "../parts/brand.tsx";

/** What the server sends of the console: its frame. The rest needs a script, as it needs a key. */
export function ConsolePage({ environment }: { environment: "production" | "staging" }) {
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
        <div id="console">
          <noscript>
            <div class="card">
              <h1>The console needs JavaScript</h1>
              <p>
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
