import { curlLine } from "../samples/curl.ts";
import { BASE } from "./base.ts";

/** A request to this service. */
export interface Call {
  readonly method: string;
  /** Below the base address, with its query: `/pets?limit=20`. Or from a `Link` of the service: `/v1/pets?limit=20`. */
  readonly path: string;
  /** Without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A request with its outcome. */
export interface Exchange {
  readonly call: Call;
  readonly url: string;
  /** `undefined` if no response came. */
  readonly response: CallResponse | undefined;
  readonly milliseconds: number;
}

export interface CallResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The text as it came. */
  readonly body: string;
}

/** The whole address of a path below the base address, or of a path from a link of the service. */
function urlOf(path: string): string {
  return new URL(path.startsWith("/v1/") ? `..${path}` : path.slice(1), BASE).href;
}

/** Sends a request with a key and waits for the whole response. It never throws. */
export async function send(call: Call, key: string, signal?: AbortSignal): Promise<Exchange> {
  const url = urlOf(call.path);
  const started = performance.now();
  const outcome = (response: CallResponse | undefined) => ({
    call,
    url,
    response,
    milliseconds: performance.now() - started,
  });
  try {
    const response = await fetch(url, {
      method: call.method,
      headers: { ...call.headers, ...(key && { Authorization: `Bearer ${key}` }) },
      ...(call.body !== undefined && { body: call.body }),
      ...(signal && { signal }),
    });
    return outcome({ status: response.status, headers: [...response.headers], body: await response.text() });
  } catch {
    return outcome(undefined);
  }
}

/** Opens a stream and hands on its text as it comes, until it ends. It never throws. */
export async function openStream(
  call: Call,
  key: string,
  signal: AbortSignal,
  show: (text: string) => void,
): Promise<void> {
  try {
    const response = await fetch(urlOf(call.path), {
      headers: {
        ...call.headers,
        ...(key && { Authorization: `Bearer ${key}` }),
      },
      signal,
    });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return;
      show(decoder.decode(value, { stream: true }));
    }
  } catch {
    // The reader has closed it, or the connection was lost.
  }
}

/**
 * A `fetch` for the client package. It hands each response's head to `record`, and ends a stream when the browser goes
 * offline: without a network, a connection fails only once something is sent.
 */
export function recordingFetch(
  record: (exchange: Exchange) => void,
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const started = performance.now();
    const ended = init.signal as AbortSignal;
    const signal = isStream(init) ? untilOffline(ended) : ended;
    const response = await fetch(url, { ...init, signal });
    // A line for a terminal has neither the key nor the id of this one request.
    const { authorization, "x-request-id": requestId, ...others } = init.headers as Record<string, string>;
    const headers = Object.fromEntries(
      Object.entries(others).map(([name, value]) => [titleCase(name), value]),
    );
    record({
      call: { method: init.method ?? "GET", path: `/${url.slice(BASE.href.length)}`, headers },
      url,
      response: { status: response.status, headers: [...response.headers], body: "" },
      milliseconds: performance.now() - started,
    });
    return response;
  };
}

/** Whether a request of the client package asks for a stream. The client aborts its signal when the stream has ended. */
function isStream({ headers }: RequestInit): boolean {
  return (headers as Record<string, string>).accept === "text/event-stream";
}

/** A signal that also aborts when the browser goes offline. Safari lacks `AbortSignal.any` before 17.4. */
function untilOffline(ended: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  addEventListener("offline", abort, { signal: ended });
  ended.addEventListener("abort", abort);
  return controller.signal;
}

/** A header's name as people write it. Its case has no meaning (RFC 9110, section 5.1). */
function titleCase(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** A request as a command for a terminal. The key stays out of it: the shell has it in `API_KEY`. */
export function asCurl(call: Call): string {
  const headers = { Authorization: "Bearer $API_KEY", ...call.headers };
  return curlLine({ method: call.method, url: urlOf(call.path), headers, body: call.body });
}

/** A header of a response, by its name in lower case. */
export function headerOf(response: CallResponse, name: string): string | undefined {
  return response.headers.find(([each]) => each === name)?.[1];
}
