/** @jsxImportSource preact */
import type { ApiDocument, Schema } from "../model/document.ts";
import { Html } from "../parts/html.tsx";
import { Fields, fieldsOf } from "./fields.tsx";
import type { PreparedObject } from "./prepare.ts";
import { Section } from "./section.tsx";

/** The name of the object that a response holds, or of which it is a list. */
export function objectName(schema: Schema): string | undefined {
  return (schema.items ?? schema).$ref?.split("/").at(-1);
}

/** An object that responses hold: what it is, its members and an example. */
export function ObjectSection({ api, prepared }: { api: ApiDocument; prepared: PreparedObject }) {
  const { name, schema, description, example, texts } = prepared;
  return (
    <Section
      class="object"
      id={name}
      title={name}
      examples={
        <section>
          <h3>Example</h3>
          <Html html={example} />
        </section>
      }
      details={
        <>
          <Fields title="Members" prefix={name} texts={texts} fields={fieldsOf(schema, api)} />
          {name === "Error" ? (
            <p class="hint">
              <a href="docs/errors">Every code</a> has a page of its own.
            </p>
          ) : null}
        </>
      }
    >
      <Html class="prose" html={description} />
    </Section>
  );
}
