/** @jsxImportSource preact */
import { Fragment } from "preact";
import type { ApiDocument, Operation } from "../model/document.ts";
import { Html } from "../parts/html.tsx";
import { Fields, fieldsOf } from "./fields.tsx";
import type { PreparedCode, PreparedOperation } from "./prepare.ts";
import { tryModel } from "./try-model.ts";

/** An operation: what it is on one side, how to call it on the other. */
export function OperationSection(props: {
  readonly api: ApiDocument;
  readonly prepared: PreparedOperation;
  readonly shared: readonly PreparedCode[];
}) {
  const { api, prepared, shared } = props;
  const { operation, description, texts, errors } = prepared;
  const { id, method, path, summary, stability, scopes, parameters, body } = operation;
  const places = { path: "path", query: "query", header: "header" } as const;
  const success = operation.responses.find(({ status }) => status.startsWith("2"));
  const schema = success?.content?.schema;
  return (
    <section class="operation" id={id} aria-labelledby={`${id}-title`}>
      <div class="explanation">
        <h2 id={`${id}-title`}>
          <a class="anchor" href={`#${id}`}>
            {summary}
          </a>
        </h2>
        <p class="endpoint">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        </p>
        <p class="badges">
          <span class={`tag stability ${stability}`}>{stability}</span>
          {scopes.map((scope) => (
            <span class="tag" key={scope}>
              scope {scope}
            </span>
          ))}
          <span class="tag">{id}</span>
        </p>
        <Warnings operation={operation} />
        <Html class="prose" html={description} />
        <Fields
          title="Parameters"
          texts={texts}
          fields={parameters.map((parameter) => ({
            name: parameter.name,
            place: places[parameter.in],
            isRequired: parameter.required,
            description: parameter.description,
            schema: api.schema(parameter.schema),
          }))}
        />
        {body ? (
          <>
            <Fields title="Body" texts={texts} fields={fieldsOf(body.schema, api)} />
            <p class="hint">
              The <code>Content-Type</code> is{" "}
              {body.mediaTypes.map((mediaType, at) => (
                <Fragment key={mediaType}>
                  {at > 0 ? " or " : ""}
                  <code>{mediaType}</code>
                </Fragment>
              ))}
              .
            </p>
          </>
        ) : null}
        <Responses api={api} prepared={prepared} />
        {schema ? (
          <details class="more">
            <summary>{schema.items ? "Members of each item" : "Members of the response"}</summary>
            <Fields
              title={schema.items ? "Each item" : "The response"}
              texts={texts}
              fields={fieldsOf(schema.items ?? schema, api)}
            />
          </details>
        ) : null}
        <section class="errors-of">
          <h3>Errors</h3>
          <ErrorList errors={errors} />
          <p class="hint">
            <a href="#shared-errors">Every operation</a> may also answer with{" "}
            {shared.map(({ code, status }, at) => (
              <Fragment key={code}>
                {at > 0 ? ", " : ""}
                <a href={`docs/errors/${code}`}>
                  {status} {code}
                </a>
              </Fragment>
            ))}
            .
          </p>
        </section>
      </div>
      <div class="examples">
        <div class="samples" data-samples>
          {prepared.samples.map(({ id: language, title, html }) => (
            <section key={language} data-language={language}>
              <h3>{title}</h3>
              <Html html={html} />
            </section>
          ))}
        </div>
        {prepared.successes
          .filter(({ example }) => example)
          .map(({ response, example }) => (
            <section class="example" key={response.status}>
              <h3>
                Response <span class="status s2">{response.status}</span>
              </h3>
              <Html html={example} />
            </section>
          ))}
        <div class="try" data-try={JSON.stringify(tryModel(operation, api))} />
      </div>
    </section>
  );
}

/** Codes of Errors, each with a link to its page. */
export function ErrorList({ errors }: { errors: readonly PreparedCode[] }) {
  return (
    <ul>
      {errors.map(({ code, status, html }) => (
        <li key={code}>
          <span class={`status s${String(status)[0]}`}>{status}</span>
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

function Warnings({ operation: { isDeprecated, sunset, stability } }: { operation: Operation }) {
  return (
    <>
      {isDeprecated ? (
        <div class="callout warn" role="note">
          <strong>Deprecated{sunset ? `, removed on ${longDate(sunset)}` : ""}.</strong> From that day on it
          answers <code>410</code>. Do not build anything new on it; the text below names what replaces it.
        </div>
      ) : null}
      {stability === "stable" ? null : (
        <div class={stability === "beta" ? "callout warn" : "callout bad"} role="note">
          <strong>{stability === "beta" ? "Beta." : "Experimental."}</strong> This operation may change shape
          in any version. Stable operations never do.
        </div>
      )}
    </>
  );
}

function Responses({ api, prepared }: { api: ApiDocument; prepared: PreparedOperation }) {
  return (
    <section class="responses">
      <h3>Responses</h3>
      <ul>
        {prepared.successes.map(({ response, html }) => {
          const own = response.headers.filter((name) => !api.sharedHeaders.has(name));
          return (
            <li key={response.status}>
              <span class={`status s${response.status[0]}`}>{response.status}</span>
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

const LONG_DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function longDate(day: string): string {
  return LONG_DATE.format(new Date(`${day}T00:00:00Z`));
}
