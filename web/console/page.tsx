/** @jsxImportSource preact */
import type { ApiDocument } from "../model/document.ts";
import { Brand, EnvironmentBadge, type PlaceName } from "../parts/brand.tsx";
import { LoadingTable } from "./loading-table.tsx";

/** The frame of the console, which the server renders. The rest needs a script, because it needs a key. */
export function ConsolePage(props: {
  readonly place: PlaceName;
  readonly api: ApiDocument;
  /** Only a sandbox has a key that is no secret. */
  readonly sandboxKey: string | undefined;
}) {
  const { place, api, sandboxKey } = props;
  const { operations } = api;
  const scopes = new Set(operations.flatMap((operation) => operation.scopes));
  return (
    <div
      id="console"
      data-operations={operations.map(({ id }) => id).join(" ")}
      data-scopes={[...scopes].join(",")}
      data-defaults={JSON.stringify(defaultsOf(api))}
      data-sandbox-key={sandboxKey}
    >
      <header class="console-bar">
        <Brand home="./" />
        <EnvironmentBadge place={place} />
      </header>
      <main id="main" tabindex={-1}>
        <noscript>
          <div class="card">
            <h1>The console needs JavaScript</h1>
            <p class="lead">
              The <a href="docs">reference</a> does not: it shows how to list and add animals from a terminal.
            </p>
          </div>
        </noscript>
        <div class="until-loaded">
          <section class="card sign-in">
            <h1>Animals in {place === "sandbox" ? "a sandbox" : place}</h1>
            <p class="lead">Loading…</p>
          </section>
          <LoadingTable of="the console" />
        </div>
      </main>
    </div>
  );
}

/** What a new animal has for each member that is left out, as the document says it. */
function defaultsOf({ operations, schema }: ApiDocument): Readonly<Record<string, unknown>> {
  const body = operations.find(({ id }) => id === "createPet")?.body;
  const members = Object.entries((body && schema(body.schema).properties) ?? {});
  return Object.fromEntries(
    members.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  );
}
