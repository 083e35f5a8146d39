/** A request in the journal of a sandbox, as its control interface shows it. */
export interface JournalRequest {
  /** In the order of arrival, from 1. */
  readonly id: number;
  /** Milliseconds, monotonic. */
  readonly elapsedMs: number;
  readonly method: string;
  /** Path and query, as the client sent them; an API key in them is masked. */
  readonly target: string;
  /** `null` if path and method name no operation. */
  readonly operation: string | null;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` if it has none, or if the service did not read it. */
  readonly body: string | null;
  readonly fault: { readonly fault: string } | null;
  readonly response: JournalResponse | null;
}

/** What the service answered; after some faults the client did not get it. */
interface JournalResponse {
  readonly status: number;
  readonly elapsedMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Faults that leave the client without a whole response. */
const CUT_OFF: ReadonlySet<string | undefined> = new Set(["reset", "lost", "cut"]);
/** Statuses after which the same request may succeed later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** Whether the client's connection broke before it had a whole response. */
export function wasCutOff({ fault }: JournalRequest): boolean {
  return CUT_OFF.has(fault?.fault);
}

/** The response that the client got whole, if it did. */
export function received(request: JournalRequest): JournalResponse | undefined {
  return wasCutOff(request) ? undefined : (request.response ?? undefined);
}

/** Whether the client was told to come later: by a limit, an outage or a proxy. */
export function wasPutOff(request: JournalRequest): boolean {
  return PASSING.has(received(request)?.status ?? 0);
}

export function isSuccess(response: JournalResponse | undefined): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300;
}

/** Whether a request asks for the same thing, whatever its headers say. */
export function isSame(one: JournalRequest, other: JournalRequest): boolean {
  const isSameBody = one.body === null || other.body === null || one.body === other.body;
  return one.method === other.method && one.target === other.target && isSameBody;
}

/** The requests that ask for the same thing, and came after the outcome of this one: earlier ones ran in parallel. */
export function laterSame(
  request: JournalRequest,
  requests: readonly JournalRequest[],
): readonly JournalRequest[] {
  const endedMs = request.response?.elapsedMs ?? request.elapsedMs;
  return requests.filter(
    (later) => later.id > request.id && later.elapsedMs >= endedMs && isSame(request, later),
  );
}

/** A request in a few words, for evidence: `#3 POST /v1/pets`. */
export function nameOf({ id, method, target }: JournalRequest): string {
  return `#${id} ${method} ${target}`;
}

/** What a client saw of a request, in a few words. */
export function outcomeOf(request: JournalRequest): string {
  if (wasCutOff(request)) return "got no whole response";
  return request.response ? `got ${request.response.status}` : "got no response";
}

/** The target of the link to the next page, resolved against the request that got it. */
export function nextPageOf(request: JournalRequest): string | undefined {
  const [, target] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(received(request)?.headers.link ?? "") ?? [];
  return target === undefined ? undefined : normalTarget(target, request.target);
}

/** An API key as a sandbox masks it. */
export const MASKED_KEY = /as_(?:test|live)_\*\*\*/;

/** A path and query with equal spelling for equal meaning, so that they can be compared; an API key in it means nothing. */
export function normalTarget(target: string, base = "/"): string {
  const { pathname, searchParams } = new URL(target, new URL(base, "http://sandbox"));
  const query = [...searchParams]
    .filter(([, value]) => !MASKED_KEY.test(value))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `${pathname}?${new URLSearchParams(query)}`;
}
