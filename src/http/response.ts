import type { Rendered } from "./rendered.ts";

/** What every answer carries. */
const EVERY_ANSWER = { "X-Content-Type-Options": "nosniff" };

/** The headers of answers that are sent again and again, as the runtime keeps headers. */
const prepared = new WeakMap<Rendered, Headers>();

/** Makes the runtime's response of an answer, and of the headers that belong to this one request. */
export function responseOf(
  rendered: Rendered,
  requestId: string,
  own: Readonly<Record<string, string>>,
): Response {
  const { status, headers, body } = rendered;
  if (!rendered.lasting) {
    return new Response(body, {
      status,
      headers: { ...headers, ...EVERY_ANSWER, "X-Request-Id": requestId, ...own },
    });
  }
  // A response copies the headers that it is given. To set the one that differs before takes half the time
  // of setting it after, and a third of making all of names and values.
  const common = preparedOf(rendered);
  common.set("X-Request-Id", requestId);
  const response = new Response(body, { status, headers: common });
  for (const name in own) response.headers.set(name, own[name] as string);
  return response;
}

function preparedOf(rendered: Rendered): Headers {
  let headers = prepared.get(rendered);
  if (!headers) {
    headers = new Headers({ ...rendered.headers, ...EVERY_ANSWER });
    prepared.set(rendered, headers);
  }
  return headers;
}
