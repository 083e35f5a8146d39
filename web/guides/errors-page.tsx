/** @jsxImportSource preact */
import { STATUS_CODES } from "node:http";
import { Html } from "../parts/html.tsx";
import { Status } from "../parts/labels.tsx";
import type { PreparedCode } from "../reference/prepare.ts";

/** `/docs/errors`. */
export function ErrorsPage({ errors }: { errors: readonly PreparedCode[] }) {
  const byStatus = [...Map.groupBy(errors, ({ status }) => status)].sort(([one], [other]) => one - other);
  return (
    <main id="main" class="guide" tabindex={-1}>
      <article>
        <h1>Errors</h1>
        <p class="lead">
          A request that cannot be served is answered with an Error: a JSON object of exactly three members.
        </p>
        <dl>
          <div class="field">
            <dt>
              <code class="name">code</code>
              <span class="type">string</span>
            </dt>
            <dd>What went wrong, for programs. A code never changes its meaning, and each has one status.</dd>
          </div>
          <div class="field">
            <dt>
              <code class="name">message</code>
              <span class="type">string</span>
            </dt>
            <dd>
              What went wrong, for people: it names what is at fault and what would be right. Its words may
              change.
            </dd>
          </div>
          <div class="field">
            <dt>
              <code class="name">status</code>
              <span class="type">int32</span>
            </dt>
            <dd>The HTTP status code of the response, once more.</dd>
          </div>
        </dl>
        <p>
          Branch on <code>code</code>, and treat a code that you do not know like its status: new ones may be
          added.
        </p>
        {byStatus.map(([status, codes]) => (
          <section key={status} class="error-group">
            <h2 id={String(status)}>
              <Status status={status} /> {STATUS_CODES[status]}
            </h2>
            <ul>
              {codes.map(({ code, html }) => (
                <li key={code}>
                  <a href={`errors/${code}`}>
                    <code>{code}</code>
                  </a>
                  <Html html={html} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </article>
    </main>
  );
}
