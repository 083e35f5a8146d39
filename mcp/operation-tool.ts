import { linkTo } from "../client/link.ts";
import { type Operation, repeatOf } from "../client/operation.ts";
import { headerValue } from "../client/request.ts";
import type { Transport } from "../client/transport.ts";
import { type Argument, argumentsOf, inputSchema, readArguments } from "./arguments.ts";
import type { Declared } from "./document.ts";
import { bareSchema, type Schema, shownSchema, withTexts } from "./schema.ts";
import { annotationsOf, explained, failure, success, type Tool } from "./tool.ts";

/** What a tool returns in addition to the body of the response, by its member. */
const OTHERS: Readonly<Record<string, Schema>> = {
  nextCursor: {
    type: "string",
    description: "The `cursor` of the next page; left out where there is none.",
  },
  etag: {
    type: "string",
    description: "The version of the result, for `ifMatch`: a change then fails if another came first.",
  },
  replayed: { type: "boolean", description: "Whether an earlier call with the same idempotencyKey did it." },
  attempts: { type: "integer", description: "How many requests it took, where it took more than one." },
};

/**
 * The tool that calls an operation of the service.
 *
 * @param isChanged whether a tool can change what the operation gets, if it is still as its `etag` says
 */
export function operationTool(declared: Declared, transport: Transport, isChanged: boolean): Tool {
  const { id, method, title, result = {} } = declared;
  const known = argumentsOf(declared);
  const isList = result.type === "array";
  const hasCursor = known.some(({ name }) => name === "cursor");
  const operation: Operation<unknown> = {
    id,
    method: method as Operation<unknown>["method"],
    path: declared.path,
    repeat: repeatOf(
      method,
      known.some((each) => each.in === "idempotencyKey"),
    ),
    query: known.filter((each) => each.in === "query").map(({ target }) => target),
    shape: isList ? [{}] : {},
  };
  return {
    shown: {
      name: id,
      title,
      description: `${declared.description}${hasCursor ? " Here the next page is the one with `cursor` set to `nextCursor`." : ""}`,
      inputSchema: inputSchema(known),
      outputSchema: {
        type: "object",
        properties: { result: bareSchema(shownSchema(result)), ...OTHERS },
        required: ["result"],
      },
      annotations: annotationsOf(method),
    },
    onlyReads: method === "GET",
    async call(given, signal) {
      const values = readArguments(id, known, given);
      if (typeof values === "string") return failure(values);
      const within = (place: Argument["in"]) =>
        Object.fromEntries(
          known.filter((each) => each.in === place).map(({ name, target }) => [target, values.get(name)]),
        );
      try {
        const url = transport.address.of(operation, within("path"), within("query"));
        const options = { signal, idempotencyKey: values.get("idempotencyKey") as string | undefined };
        const body = declared.body ? within("body") : undefined;
        const tag = values.get("ifMatch") as string | undefined;
        const ifMatch = tag === undefined ? undefined : headerValue("ifMatch", tag);
        const { value, headers, link, attempts } = await transport.call(
          operation,
          url,
          options,
          body,
          ifMatch,
        );
        const next = hasCursor ? linkTo("next", link) : undefined;
        return success({
          result: withTexts(value, result),
          ...(next !== undefined && { nextCursor: new URL(next, url).searchParams.get("cursor") ?? "" }),
          ...(isChanged && { etag: headers.get("etag") ?? "" }),
          ...(headers.get("idempotent-replayed") === "true" && { replayed: true }),
          ...(attempts > 1 && { attempts }),
        });
      } catch (error) {
        signal.throwIfAborted();
        return failure(explained(error, id));
      }
    },
  };
}
