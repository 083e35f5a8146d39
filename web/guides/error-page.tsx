/** @jsxImportSource preact */
import { STATUS_CODES } from "node:http";
import { highlight } from "../build/highlight.ts";
import { codeBlock, renderMarkdown } from "../build/markdown.ts";
import type { ErrorCode } from "../contract.ts";
import { type ApiDocument, codesOf, type Operation } from "../model/document.ts";
import { Html } from "../parts/html.tsx";
import { Method, Status } from "../parts/labels.tsx";

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
          <Status status={error.status} /> {STATUS_CODES[error.status]}
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
                  <Method method={method} /> <code>{path}</code> {summary}
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
