/** @jsxImportSource preact */
import type { ApiDocument } from "../model/document.ts";
import { Html } from "../parts/html.tsx";
import { Status } from "../parts/labels.tsx";
import type { PreparedCode, PreparedOperation } from "./prepare.ts";

/** The responses of an operation that are not Errors, with the headers that not every response has. */
export function Responses({ api, prepared }: { api: ApiDocument; prepared: PreparedOperation }) {
  return (
    <section class="responses">
      <h3>Responses</h3>
      <ul>
        {prepared.successes.map(({ response, html }) => {
          const own = response.headers.filter((name) => !api.sharedHeaders.has(name));
          return (
            <li key={response.status}>
              <Status status={response.status} />
              <div>
                <Html html={html} />
                {own.length > 0 ? (
                  <p class="own-headers">
                    {own.map((name) => (
                      <a class="tag" href={`#header-${name.toLowerCase()}`} key={name}>
                        {name}
                      </a>
                    ))}
                  </p>
                ) : null}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Codes of Errors, each with a link to its page. */
export function ErrorList({ errors }: { errors: readonly PreparedCode[] }) {
  return (
    <ul>
      {errors.map(({ code, status, html }) => (
        <li key={code}>
          <Status status={status} />
          <div>
            <a href={`docs/errors/${code}`}>
              <code>{code}</code>
            </a>
            <Html html={html} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** What follows a successful status in its line, as RFC 9110 names it. */
const REASONS: Readonly<Record<string, string>> = { "200": "OK", "201": "Created" };

/** An example of each response of an operation, by its status. One is open at a time, also without a script. */
export function ResponseExamples({ prepared }: { prepared: PreparedOperation }) {
  const { operation, successes, errorExamples } = prepared;
  const examples = [
    ...successes
      .filter(({ example }) => example)
      .map(({ response: { status }, example }) => ({ status, name: REASONS[status] ?? "", html: example })),
    ...errorExamples.map(({ code, status, html }) => ({ status, name: code, html })),
  ];
  return (
    <section class="response-examples">
      <h3>Responses</h3>
      {examples.map(({ status, name, html }, at) => (
        <details class="more" key={name} name={`${operation.id}-response`} open={at === 0}>
          <summary>
            <Status status={status} /> {name}
          </summary>
          <Html html={html} />
        </details>
      ))}
    </section>
  );
}
