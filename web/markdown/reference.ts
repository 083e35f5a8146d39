import type { ApiDocument, Operation, Schema } from "../model/document.ts";
import { printExact } from "../model/exact-json.ts";
import { curlSample } from "../samples/curl.ts";
import { sampleRequest } from "../samples/request.ts";

/** The reference as Markdown: for programs that read text, and for people who paste it into one. */
export function referenceMarkdown(api: ApiDocument): string {
  return [
    `# ${api.title}: API reference`,
    api.summary,
    `The base address is \`${api.base}\`. Paths below begin there.`,
    ...api.operations.map((operation) => operationMarkdown(operation, api)),
    ...api.objects.map(
      ({ name, schema }) => `## ${name}\n\n${schema.description}\n\n${members(schema, api)}`,
    ),
    api.description,
  ]
    .join("\n\n")
    .concat("\n");
}

function operationMarkdown(operation: Operation, api: ApiDocument): string {
  const { id, method, path, summary, description, stability, scopes, sunset, parameters, body } = operation;
  const facts = [
    `Operation \`${id}\``,
    stability,
    ...scopes.map((scope) => `scope \`${scope}\``),
    ...(sunset ? [`deprecated, removed on ${sunset}`] : []),
  ];
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    `${facts.join(", ")}.`,
    description,
    ...(parameters.length > 0
      ? ["### Parameters", parameters.map((each) => item(each.name, each.in, each, api)).join("\n")]
      : []),
    ...(body ? ["### Body", members(body.schema, api)] : []),
    "### Request",
    fenced("sh", curlSample(sampleRequest(api, operation))),
    "### Responses",
    ...operation.responses.map(({ status, description: text, content }) => {
      const example = content?.example;
      const json = example === undefined ? "" : `\n\n${fenced("json", printExact(example))}`;
      return `**${status}** ${text}${json}`;
    }),
  ].join("\n\n");
}

function members(schema: Schema, api: ApiDocument): string {
  const { properties = {}, required = [] } = api.schema(schema);
  return Object.entries(properties)
    .map(([name, member]) => {
      const { description = api.schema(member).description } = member;
      return item(name, "member", { required: required.includes(name), description, schema: member }, api);
    })
    .join("\n");
}

/** A line about a parameter or a member. */
function item(
  name: string,
  place: string,
  about: { readonly required: boolean; readonly description?: string | undefined; readonly schema: Schema },
  api: ApiDocument,
): string {
  const { type, format, enum: values, minimum, maximum, minLength, maxLength } = api.schema(about.schema);
  const kind = values ? values.map((value) => `\`${value}\``).join(", ") : (format ?? type ?? "any");
  const rules = [
    place,
    kind,
    about.required ? "required" : "optional",
    ...(minimum === undefined ? [] : [`min ${minimum}`]),
    ...(maximum === undefined ? [] : [`max ${maximum}`]),
    ...(maxLength === undefined ? [] : [`length ${minLength ?? 0} to ${maxLength}`]),
  ];
  return `- \`${name}\` (${rules.join(", ")}): ${about.description ?? ""}`.replaceAll(/\n\s*/g, " ");
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}
