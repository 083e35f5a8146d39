/** Where a JSON value has int64 numbers: it is one itself, or its members or items have them. */
export type Shape = "int64" | readonly [items: Shape] | { readonly [member: string]: Shape };

/** An operation as the OpenAPI document declares it; `Result` is the type of what it returns. */
export interface Operation<Result> {
  /** The document's `operationId`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Below the base address, with its parameters in braces. */
  readonly path: string;
  /** When a call may be sent again: with the `Idempotency-Key` that it had, or never; always if it is left out. */
  readonly repeat?: "with-key" | "never" | undefined;
  /** The names of its query parameters, without those that only links have. */
  readonly query: readonly string[];
  readonly shape: Shape;
  /** Only for the type checker: no operation has it. */
  readonly result?: Result;
}

/**
 * Says by an operation's declaration when a call of it may be sent again. A PATCH of this contract names the state that is to
 * hold, so that it changes nothing the second time.
 */
export function repeatOf(method: string, takesKey: boolean): Operation<unknown>["repeat"] {
  if (method === "GET" || method === "PATCH") return undefined;
  return takesKey ? "with-key" : "never";
}
