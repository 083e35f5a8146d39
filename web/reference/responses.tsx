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

/** An example of each Error of an operation. One is open at a time, also without a script. */
export function ErrorExamples(props: {
  /** The operation. */
  readonly of: string;
  readonly examples: PreparedOperation["errorExamples"];
}) {
  return (
    <section class="error-examples">
      <h3>Errors</h3>
      {props.examples.map(({ code, status, html }) => (
        <details class="more" key={code} name={`${props.of}-error`}>
          <summary>
            <Status status={status} /> {code}
          </summary>
          <Html html={html} />
        </details>
      ))}
    </section>
  );
}
