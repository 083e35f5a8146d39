/** @jsxImportSource preact */
import type { ApiDocument, Schema } from "../model/document.ts";
import { Html } from "../parts/html.tsx";

interface Field {
  readonly name: string;
  readonly place?: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: Schema;
  /** The object that the schema names. */
  readonly object?: string | undefined;
}

/** The members of an object schema. */
export function fieldsOf(schema: Schema, api: ApiDocument): Field[] {
  const { properties = {}, required = [] } = api.schema(schema);
  return Object.entries(properties).map(([name, member]) => ({
    name,
    isRequired: required.includes(name),
    description: member.description ?? api.schema(member).description ?? "",
    schema: api.schema(member),
    object: api.objects.find((object) => member.$ref?.endsWith(`/${object.name}`))?.name,
  }));
}

/** Parameters or members, each with its name, type, rules and meaning. */
export function Fields(props: {
  readonly title: string;
  /** What the id of each field begins with. */
  readonly prefix: string;
  readonly fields: readonly Field[];
  readonly texts: ReadonlyMap<string, string>;
  readonly showsRequired?: boolean;
}) {
  const { title, prefix, fields, texts, showsRequired = true } = props;
  if (fields.length === 0) return null;
  return (
    <section class="fields">
      <h3>{title}</h3>
      <dl>
        {fields.map(({ name, place, isRequired, description, schema, object }) => (
          <div class="field" key={name} id={`${prefix}-${name}`}>
            <dt>
              <a class="anchor" href={`#${prefix}-${name}`}>
                <code class="name">{name}</code>
              </a>
              <span class="type">{object ? <a href={`#${object}`}>{object}</a> : typeOf(schema)}</span>
              {place ? <span class="place">{place}</span> : null}
              {showsRequired ? (
                <span class={isRequired ? "required" : "optional"}>
                  {isRequired ? "required" : "optional"}
                </span>
              ) : null}
            </dt>
            <dd>
              <Html html={texts.get(description) ?? ""} />
              <Rules schema={schema} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function typeOf({ type, format, enum: values }: Schema): string {
  if (values) return "enum";
  return format ?? type ?? "any";
}

/** The rules for a value, exact to the last digit. */
function Rules({ schema }: { schema: Schema }) {
  const { minimum, maximum, minLength, maxLength, default: fallback, enum: values } = schema;
  const rules: [string, string][] = [];
  if (minimum !== undefined) rules.push(["min", String(minimum)]);
  if (maximum !== undefined) rules.push(["max", String(maximum)]);
  if (minLength !== undefined || maxLength !== undefined)
    rules.push(["length", `${minLength ?? 0} to ${maxLength ?? "any"}`]);
  if (fallback !== undefined) rules.push(["default", String(fallback)]);
  if (!values && rules.length === 0) return null;
  return (
    <ul class="rules">
      {values?.map((value) => (
        <li key={String(value)}>
          <code>{String(value)}</code>
        </li>
      ))}
      {rules.map(([name, value]) => (
        <li key={name}>
          {name} <code>{value}</code>
        </li>
      ))}
    </ul>
  );
}
