/** @jsxImportSource preact */
import { STATUS_CODES } from "node:http";
import { highlight } from "../build/highlight.ts";
import { codeBlock, renderMarkdown } from "../build/markdown.ts";
import type { ErrorCode } from "../contract.ts";
import { type ApiDocument, codesOf, type Operation } from "../model/document.ts";
import { Html } from "../parts/html.tsx";

interface PreparedError {
  readonly error: ErrorCode;
  readonly when: string;
  readonly help: string;
  readonly example: string;
  readonly operations: readonly Operation[];
}

export async function prepareError(error: ErrorCode, api: ApiDocument): Promise<PreparedError> {
  const { code, status, example } = error;
  const head = Object.entries({ "Content-Type": "application/json", ...example.headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const body = JSON.stringify({ code, message: example.message, status }, null, 2);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, "", ""].join("\n");
  return {
    error,
    when: (await renderMarkdown(error.when)).html,
    help: (await renderMarkdown(error.help)).html,
    example: codeBlock((await highlight(lines, "http")) + (await highlight(body, "json")), "http"),
    operations: api.operations.filter(({ responses }) =>
      responses.some((response) => codesOf(response).includes(code) && response.status !== "default"),
    ),
  };
}

/** `/docs/errors/CODE`. */
export function ErrorPage({ prepared, all }: { prepared: PreparedError; all: readonly ErrorCode[] }) {
  const { error, when, help, example, operations } = prepared;
  const siblings = all.filter(({ status, code }) => status === error.status && code !== error.code);
  return (
    <main id="main" class="guide error-page" tabindex={-1}>
      <article>
        <p class="crumbs">
          <a href="../errors">Errors</a>
        </p>
        <h1>
          <code>{error.code}</code>
        </h1>
        <p class="lead">
          <span class={`status s${String(error.status)[0]}`}>{error.status}</span>{" "}
          {STATUS_CODES[error.status]}
        </p>
        <h2>When it happens</h2>
        <Html class="prose" html={when} />
        <h2>What to do</h2>
        <Html class="prose" html={help} />
        <h2>What the response looks like</h2>
        <Html html={example} />
        <h2>Where</h2>
        {operations.length > 0 ? (
          <ul class="plain-list">
            {operations.map(({ id, method, path, summary }) => (
              <li key={id}>
                <a href={`../../docs#${id}`}>
                  <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code> {summary}
                </a>
              </li>
            ))}
          </ul>
        ) : (
          <p>Paths and methods that no operation serves, and the pages outside the interface.</p>
        )}
        {siblings.length > 0 ? (
          <>
            <h2>Other errors with {error.status}</h2>
            <ul class="plain-list">
              {siblings.map(({ code }) => (
                <li key={code}>
                  <a href={code}>
                    <code>{code}</code>
                  </a>
                </li>
              ))}
            </ul>
          </>
        ) : null}
      </article>
    </main>
  );
}

/** `/docs/errors`. */
export function ErrorsPage({ errors }: { errors: readonly PreparedError[] }) {
  const byStatus = [...Map.groupBy(errors, ({ error }) => error.status)].sort(
    ([one], [other]) => one - other,
  );
  return (
    <main id="main" class="guide" tabindex={-1}>
      <article>
        <h1>Errors</h1>
        <p class="lead">
          A request that cannot be served is answered with an Error: a JSON object of exactly three members.
        </p>
        <dl class="headers">
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
        {byStatus.map(([status, those]) => (
          <section key={status} class="error-group">
            <h2 id={String(status)}>
              <span class={`status s${String(status)[0]}`}>{status}</span> {STATUS_CODES[status]}
            </h2>
            <ul>
              {those.map(({ error: { code }, when }) => (
                <li key={code}>
                  <a href={`errors/${code}`}>
                    <code>{code}</code>
                  </a>
                  <Html html={when} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </article>
    </main>
  );
}
