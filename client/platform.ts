// The runtime's own types where the program's compiler knows them, and what the client needs of them elsewhere: the
// declarations of this package need no library beyond ES2020.

/** The instances of a class that the runtime has, or `Otherwise` for a compiler that does not know the class. */
type Native<Name extends string, Otherwise> = typeof globalThis extends {
  readonly [Each in Name]: { readonly prototype: infer Instance };
}
  ? Instance
  : Otherwise;

/** The runtime's `AbortSignal`. */
export type Signal = Native<"AbortSignal", { readonly aborted: boolean; readonly reason: unknown }>;

/** The headers of a response. */
export type ResponseHeaders = Native<
  "Headers",
  { get(name: string): string | null; has(name: string): boolean }
>;

/** A response of `fetch`. */
export type FetchResponse = Native<
  "Response",
  { readonly status: number; readonly headers: ResponseHeaders }
>;

/** What the client gives to `fetch`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | null;
  signal: Signal;
  redirect: "manual";
}
