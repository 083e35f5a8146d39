import { Failure } from "../domain/failure.ts";
import { writeJson } from "../domain/json-writer.ts";
import { CONTENT_CODINGS, entityTag, strongTags, tagUnder } from "./entity-tag.ts";
import type { Parameter } from "./operation.ts";

/** The strong tags that an `If-Match` names, or `"*"` for any. */
type IfMatch = readonly string[] | "*";

const TAG_PATTERN = "(W/)?\\x22[!\\x23-~]*\\x22";

/** The header that makes a change depend on the version that the client knows (RFC 9110, section 13.1.1). */
export const ifMatch: Parameter<IfMatch | undefined> = {
  in: "header",
  description:
    "The `ETag` of the order as you know it, quotes included: if the order has changed since, the response is 412 and " +
    "nothing changes. It may be a list of tags, of which one must be current; `*` stands for any. A weak tag matches none.",
  schema: { type: "string", minLength: 1, pattern: `^([*]|${TAG_PATTERN}( *, *${TAG_PATTERN})*)$` },
  read: (text) =>
    text === undefined
      ? undefined
      : (strongTags(text) ??
        new Failure("invalid_header", {
          name: "If-Match",
          rule: "must be `*` or one or more entity tags in double quotes, as `ETag` returned them",
        })),
};

/** Whether tags name the current version of a resource, under any content coding. @param value as GET returns it */
export function namesCurrent(tags: readonly string[], value: unknown): boolean {
  const tag = entityTag(writeJson(value));
  return tags.some(
    (each) => each === tag || CONTENT_CODINGS.some((coding) => each === tagUnder(coding, tag)),
  );
}
