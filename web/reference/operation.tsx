/** @jsxImportSource preact */
import { Fragment } from "preact";
import type { ApiDocument } from "../model/document.ts";
import { Html } from "../parts/html.tsx";
import { Method } from "../parts/labels.tsx";
import { Fields, fieldsOf } from "./fields.tsx";
import { objectName } from "./objects.tsx";
import type { PreparedCode, PreparedOperation } from "./prepare.ts";
import { ErrorList, ResponseExamples, Responses } from "./responses.tsx";
import { Samples } from "./samples.tsx";
import { Section } from "./section.tsx";
import { tryModel } from "./try-model.ts";
import { Warnings } from "./warnings.tsx";

/** An operation: its description on one side, samples and a form to call it on the other. */
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
  const name = schema && objectName(schema);
  return (
    <Section
      class="operation"
      id={id}
      title={summary}
      examples={
        <>
          <Samples operation={operation} html={prepared.sample} />
          <div class="try" data-try={JSON.stringify(tryModel(operation, api))} />
          <ResponseExamples prepared={prepared} />
        </>
      }
      details={
        <>
          <Fields
            title="Parameters"
            prefix={`${id}-parameter`}
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
              <Fields title="Body" prefix={`${id}-body`} texts={texts} fields={fieldsOf(body.schema, api)} />
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
          {name ? (
            <p class="hint">
              {schema?.items ? "Each item is an " : "The response is an "}
              <a href={`#${name}`}>{name}</a>.
            </p>
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
        </>
      }
    >
      <p class="endpoint">
        <Method method={method} /> <code>{path}</code>
      </p>
      <p class="badges">
        <span class={`tag ${stability}`}>{stability}</span>
        {scopes.map((scope) => (
          <span class="tag" key={scope}>
            scope {scope}
          </span>
        ))}
        <span class="tag">{id}</span>
      </p>
      <Warnings operation={operation} />
      <Html class="prose" html={description} />
    </Section>
  );
}
