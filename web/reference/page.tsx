/** @jsxImportSource preact */
import type { ApiDocument } from "../model/document.ts";
import type { PlaceName } from "../parts/brand.tsx";
import { Html } from "../parts/html.tsx";
import { KeyHint } from "./key-hint.tsx";
import { ObjectSection } from "./objects.tsx";
import { OperationSection } from "./operation.tsx";
import type { PreparedReference } from "./prepare.ts";
import { ErrorList } from "./responses.tsx";

/** A server's address as a whole, also where the document names a path. */
function addressOf(url: string, { base }: ApiDocument): string {
  return URL.canParse(url) ? url : base;
}

/** The content of `/docs`. */
export function ReferencePage(props: {
  readonly api: ApiDocument;
  readonly prepared: PreparedReference;
  readonly place: PlaceName;
}) {
  const { api, prepared, place } = props;
  return (
    <main id="main" class="reference" tabindex={-1}>
      <section class="intro">
        <div class="explanation">
          <h1>API reference</h1>
          <p class="lead">
            {api.summary} Every request carries an API key, and every integer is exact to the last digit.
          </p>
          <p>
            New here? The <a href="docs/guides/start">first request</a> takes a minute. To see and change the
            stock without writing code, open the <a href="./">console</a>.
          </p>
        </div>
        <div class="examples">
          <section>
            <h2>Base address</h2>
            {api.servers.map((server) => (
              <div class="code" key={server.url}>
                <pre tabindex={0} data-language={place === "sandbox" ? "Sandbox" : server.description}>
                  <code>{addressOf(server.url, api)}</code>
                </pre>
              </div>
            ))}
          </section>
          <div id="key">
            <p class="hint">
              <KeyHint place={place} />
            </p>
          </div>
        </div>
      </section>
      {prepared.operations.map((each) => (
        <OperationSection key={each.operation.id} api={api} prepared={each} shared={prepared.sharedErrors} />
      ))}
      {prepared.objects.map((each) => (
        <ObjectSection key={each.name} api={api} prepared={each} />
      ))}
      <section class="plain" id="conventions">
        <h2>Conventions</h2>
        <Html class="prose" html={prepared.conventions} />
      </section>
      <section class="plain errors-of" id="shared-errors">
        <h2>Errors of every operation</h2>
        <p>
          Each code has <a href="docs/errors">a page of its own</a> with what to do about it.
        </p>
        <ErrorList errors={prepared.sharedErrors} />
      </section>
      <section class="plain" id="headers">
        <h2>Response headers</h2>
        <p>
          Headers marked <span class="tag">every response</span> come with each response of each operation. An
          operation names the others where they apply.
        </p>
        <dl>
          {prepared.headers.map(({ name, html }) => (
            <div class="field" key={name} id={`header-${name.toLowerCase()}`}>
              <dt>
                <code class="name">{name}</code>
                {api.sharedHeaders.has(name) ? <span class="tag">every response</span> : null}
              </dt>
              <dd>
                <Html html={html} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </main>
  );
}
