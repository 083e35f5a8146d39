import type { Rendered } from "./rendered.ts";

/** What every answer carries. */
const EVERY_ANSWER = { "X-Content-Type-Options": "nosniff" };

/** The headers of answers that are sent again and again, as the runtime keeps headers. */
const prepared = new WeakMap<Rendered, Headers>();

/**
 * Makes the runtime's response of an answer, and of the headers that belong to this one request. To copy
 * a `Headers` and add to it takes a third of the time that it takes to make one of names and values.
 */
export function responseOf(rendered: Rendered, own: Readonly<Record<string, string>>): Response {
  const { status, headers, body } = rendered;
  const common = isKept(rendered) ? preparedOf(rendered) : { ...headers, ...EVERY_ANSWER };
  const response = new Response(body, { status, headers: common });
  for (const name in own) response.headers.set(name, own[name] as string);
  return response;
}

/** Only what has a tag is kept, and so sent again. */
function isKept({ status, headers }: Rendered): boolean {
  return status === 200 && headers.ETag !== undefined;
}

function preparedOf(rendered: Rendered): Headers {
  let headers = prepared.get(rendered);
  if (!headers) {
    headers = new Headers({ ...rendered.headers, ...EVERY_ANSWER });
    prepared.set(rendered, headers);
  }
  return headers;
}
