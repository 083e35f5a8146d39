import type { ApiKey } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import { type Idempotency, isIdempotencyKey } from "../domain/idempotency.ts";
import type { Parameter } from "./operation.ts";

/** What `isIdempotencyKey` accepts, less the leading and trailing spaces, which HTTP strips. */
const KEY_PATTERN = "^(,|[!-+\\x2d-~]( +[!-+\\x2d-~])*( +,)?)+$";

/** The header that makes a request safe to retry. */
export const idempotencyKey: Parameter<string | undefined> = {
  in: "header",
  description:
    "A unique value for this request, for example a new UUID, which makes it safe to retry. For 24 hours, the same key " +
    "with the same content returns the first response again and stores nothing; with other content it is refused with 422. " +
    "The value is printable ASCII. It must not contain a comma followed by a space, which is how HTTP joins two headers.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: KEY_PATTERN },
  read: (text) =>
    text === undefined || isIdempotencyKey(text)
      ? text
      : new Failure("invalid_header", {
          name: "Idempotency-Key",
          rule: "must be given once, with 1 to 255 printable ASCII characters and no comma followed by a space",
        }),
};

/** The idempotency of a request; `undefined` if its client named no key. */
export function idempotencyOf(
  { line }: ApiKey,
  key: string | undefined,
  digest: () => string,
): Idempotency | undefined {
  return key === undefined ? undefined : { line, key, digest: digest() };
}
