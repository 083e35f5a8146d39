import { highlight } from "../build/highlight.ts";
import { codeBlock, renderMarkdown } from "../build/markdown.ts";
import type { ErrorCode } from "../contract.ts";
import {
  type ApiDocument,
  codesOf,
  type HeaderText,
  type Operation,
  type Response,
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
  readonly headers: readonly (HeaderText & { readonly html: string })[];
}

export interface PreparedOperation {
  readonly operation: Operation;
  readonly description: string;
  readonly samples: readonly { readonly id: string; readonly title: string; readonly html: string }[];
  readonly successes: readonly {
    readonly response: Response;
    readonly html: string;
    readonly example: string;
  }[];
  /** The codes that not every operation may return. */
  readonly errors: readonly PreparedCode[];
  /** HTML of the descriptions of parameters and of members of the body, by their Markdown. */
  readonly texts: ReadonlyMap<string, string>;
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
  const codes = allCodes(operation);
  const successes = operation.responses.filter(({ status }) => /^[23]/.test(status));
  return {
    operation,
    description: (await renderMarkdown(operation.description)).html,
    samples: await Promise.all(
      SAMPLE_LANGUAGES.map(async ({ id, title, syntax, write }) => ({
        id,
        title,
        html: codeBlock(await highlight(write(request).trimEnd(), syntax), id),
      })),
    ),
    successes: await Promise.all(
      successes.map(async (response) => ({
        response,
        html: (await renderMarkdown(response.description)).html,
        example: response.content
          ? codeBlock(await highlight(printExact(response.content.example), "json"), "json")
          : "",
      })),
    ),
    errors: errors.filter(({ code }) => codes.has(code)),
    texts: await renderTexts(operation, api),
  };
}

/** The codes that the document lists for an operation itself. */
function allCodes({ responses }: Operation): Set<string> {
  return new Set(responses.filter(({ status }) => status !== "default").flatMap(codesOf));
}

async function renderTexts(
  { parameters, body, responses }: Operation,
  api: ApiDocument,
): Promise<ReadonlyMap<string, string>> {
  const schemas = [body?.schema, ...responses.map(({ content }) => content?.schema)]
    .filter((schema) => schema !== undefined)
    .map((schema) => api.schema(schema.items ?? schema));
  const members = schemas.flatMap(({ properties = {} }) => Object.values(properties));
  const texts = new Set(
    [...parameters, ...members].map(
      (each) => each.description ?? api.schema(each as never).description ?? "",
    ),
  );
  if (body) texts.add(body.description);
  return new Map(
    await Promise.all([...texts].map(async (text) => [text, (await renderMarkdown(text)).html] as const)),
  );
}
