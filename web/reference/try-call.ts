import { randomId } from "../../client/request.ts";
import type { Call } from "../browser/call.ts";
import type { TryModel, TryParameter } from "./try-model.ts";

export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** The initial values of a form: the examples of the document. */
export function firstValues({ parameters }: TryModel): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, example }) => [name, name === IDEMPOTENCY_KEY ? randomId() : example]),
  );
}

/** The request that a form describes. Empty fields are left out. */
export function callOf(
  { method, path, parameters, body }: TryModel,
  values: Readonly<Record<string, string>>,
  text?: string,
): Call {
  const given = (place: TryParameter["in"]) =>
    parameters.filter((parameter) => parameter.in === place && (values[parameter.name] || place === "path"));
  const filled = given("path").reduce(
    (at, { name }) => at.replace(`{${name}}`, encodeURIComponent(values[name] ?? "")),
    path,
  );
  const query = given("query").map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? "")}`);
  return {
    method,
    path: filled + (query.length > 0 ? `?${query.join("&")}` : ""),
    headers: {
      ...(body && { "Content-Type": body.mediaType }),
      ...Object.fromEntries(given("header").map(({ name }) => [name, values[name] ?? ""])),
    },
    body: text,
  };
}

/** The name of a header that no browser sends, because of a character in its value; `undefined` if there is none. */
export function unsendable({ headers }: Call): string | undefined {
  return Object.keys(headers).find((name) => /[^\0-\xff]/.test(headers[name] ?? ""));
}
