import { highlight } from "../build/highlight.ts";
import { codeBlock, renderMarkdown } from "../build/markdown.ts";
import type { ErrorCode } from "../contract.ts";
import {
  type ApiDocument,
  codesOf,
  type HeaderText,
  type Operation,
  type Response,
  type Schema,
} from "../model/document.ts";
import { printExact } from "../model/exact-json.ts";
import { sampleRequest } from "../samples/request.ts";
import { SAMPLE_LANGUAGES } from "../samples/samples.ts";

/** The parts of the page that take asynchronous work: Markdown and highlighted code, as HTML. */
export interface PreparedReference {
  readonly conventions: string;
  /** The codes that every operation may return, described once. */
  readonly sharedErrors: readonly PreparedCode[];
  readonly operations: readonly PreparedOperation[];
  readonly objects: readonly PreparedObject[];
  readonly headers: readonly (HeaderText & { readonly html: string })[];
}

export interface PreparedOperation {
  readonly operation: Operation;
  readonly description: string;
  /** In the first language. */
  readonly sample: string;
  readonly successes: readonly {
    readonly response: Response;
    readonly html: string;
    readonly example: string;
  }[];
  /** The codes that not every operation may return. */
  readonly errors: readonly PreparedCode[];
  /** An example of each of these errors, in the order of their statuses. */
  readonly errorExamples: readonly PreparedExample[];
  /** HTML of the descriptions of parameters and of members of the body, by their Markdown. */
  readonly texts: ReadonlyMap<string, string>;
}

/** An object of the interface, such as Animal. */
export interface PreparedObject {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string;
  readonly example: string;
  readonly texts: ReadonlyMap<string, string>;
}

interface PreparedExample {
  readonly code: string;
  readonly status: string;
  readonly html: string;
}

export interface PreparedCode {
  readonly code: string;
  readonly status: number;
  readonly html: string;
}

/** The codes of errors, with what causes each. */
export function prepareCodes(errors: readonly ErrorCode[]): Promise<PreparedCode[]> {
  return Promise.all(
    errors.map(async ({ code, status, when }) => ({ code, status, html: (await renderMarkdown(when)).html })),
  );
}

export async function prepareReference(
  api: ApiDocument,
  errors: readonly ErrorCode[],
): Promise<PreparedReference> {
  const shared = api.operations.map(allCodes).reduce((both, codes) => both.intersection(codes));
  const prepared = await prepareCodes(errors);
  return {
    sharedErrors: prepared.filter(({ code }) => shared.has(code)),
    // A heading of the document's introduction is one level below the page's own.
    conventions: (await renderMarkdown(api.description.replaceAll(/^#/gm, "##"))).html,
    operations: await Promise.all(
      api.operations.map((operation) =>
        prepare(
          operation,
          api,
          prepared.filter(({ code }) => !shared.has(code)),
        ),
      ),
    ),
    objects: await Promise.all(api.objects.map(({ name, schema }) => prepareObject(name, schema, api))),
    headers: await Promise.all(
      api.headers.map(async (header) => ({
        ...header,
        html: (await renderMarkdown(header.description)).html,
      })),
    ),
  };
}

async function prepare(
  operation: Operation,
  api: ApiDocument,
  errors: readonly PreparedCode[],
): Promise<PreparedOperation> {
  const request = sampleRequest(api, operation);
  const [{ fence, write }] = SAMPLE_LANGUAGES;
  const codes = allCodes(operation);
  const successes = operation.responses.filter(({ status }) => /^[23]/.test(status));
  return {
    operation,
    description: (await renderMarkdown(operation.description)).html,
    sample: codeBlock(await highlight(write(request).trimEnd(), fence), fence),
    successes: await Promise.all(
      successes.map(async (response) => ({
        response,
        html: (await renderMarkdown(response.description)).html,
        example: response.content ? await jsonBlock(response.content.example) : "",
      })),
    ),
    errors: errors.filter(({ code }) => codes.has(code)),
    errorExamples: await Promise.all(
      operation.responses
        .filter(({ status }) => status !== "default")
        .flatMap((response) => prepareExamples(response, errors)),
    ),
    texts: await renderTexts(textsOf(operation, api)),
  };
}

/** The errors of every operation have their examples on pages of their own: here they would be eight times on one. */
function prepareExamples(response: Response, errors: readonly PreparedCode[]): Promise<PreparedExample>[] {
  const own = codesOf(response).filter((code) => errors.some((error) => error.code === code));
  return own.map(async (code) => ({
    code,
    status: response.status,
    html: await jsonBlock(response.content?.examples?.[code]?.value),
  }));
}

async function prepareObject(name: string, schema: Schema, api: ApiDocument): Promise<PreparedObject> {
  return {
    name,
    schema,
    description: (await renderMarkdown(schema.description ?? "")).html,
    example: await jsonBlock(exampleOf(name, api)),
    texts: await renderTexts(descriptionsOf(schema, api)),
  };
}

/** An object as a response of the document shows it. */
function exampleOf(name: string, api: ApiDocument): unknown {
  const isNamed = ({ $ref }: Schema) => $ref?.endsWith(`/${name}`);
  for (const { content } of api.operations.flatMap(({ responses }) => responses)) {
    if (!content) continue;
    const example = content.example ?? Object.values(content.examples ?? {})[0]?.value;
    if (isNamed(content.schema)) return example;
    if (content.schema.items && isNamed(content.schema.items)) return (example as unknown[])[0];
  }
  return undefined;
}

async function jsonBlock(value: unknown): Promise<string> {
  return value === undefined ? "" : codeBlock(await highlight(printExact(value), "json"), "json");
}

/** The codes that the document lists for an operation itself. */
function allCodes({ responses }: Operation): Set<string> {
  return new Set(responses.filter(({ status }) => status !== "default").flatMap(codesOf));
}

function textsOf({ parameters, body }: Operation, api: ApiDocument): string[] {
  return [
    ...parameters.map(({ description }) => description),
    ...(body ? [body.description, ...descriptionsOf(body.schema, api)] : []),
  ];
}

/** The descriptions of the members of an object. */
function descriptionsOf(schema: Schema, api: ApiDocument): string[] {
  const { properties = {} } = api.schema(schema);
  return Object.values(properties).map(
    (member) => member.description ?? api.schema(member).description ?? "",
  );
}

async function renderTexts(texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rendered = [...new Set(texts)].map(async (text) => [text, await renderDescription(text)] as const);
  return new Map(await Promise.all(rendered));
}

/** A list in parentheses that few readers need, for example of code points. */
const LONG_LIST = /(\S+ \S+) \(([^()]{80,})\)/;

/** A description as HTML. A long list in it is folded. */
async function renderDescription(text: string): Promise<string> {
  const [whole = "", subject = "", list = ""] = LONG_LIST.exec(text) ?? [];
  const { html } = await renderMarkdown(text.replace(whole, subject));
  if (!list) return html;
  return `${html}<details class="more"><summary>${Bun.escapeHTML(subject)}</summary><p>${Bun.escapeHTML(list)}.</p></details>`;
}
