import { curlLine } from "../samples/curl.ts";

/** A request to this service. */
export interface Call {
  readonly method: string;
  /** Below the base address, with its query: `/pets?limit=20`; or one that the service itself gave in a `Link`. */
  readonly path: string;
  /** Without `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A request with its outcome. */
export interface Exchange {
  readonly call: Call;
  readonly url: string;
  /** `undefined` where no response came. */
  readonly response: CallResponse | undefined;
  readonly milliseconds: number;
}

export interface CallResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As it came, to the last digit. */
  readonly body: string;
}

const BASE = new URL(`${document.documentElement.dataset.root}v1/`, document.baseURI);

/** The whole address of a path below the base address; the service's own links are whole paths. */
function urlOf(path: string): string {
  return new URL(path.startsWith("/v1/") ? `..${path}` : path.slice(1), BASE).href;
}

/** Sends a request with the tab's key and waits for the whole response. It never throws. */
export function send(call: Call, key: string, signal?: AbortSignal): Promise<Exchange> {
  return exchange(call, key, (response) => response.text(), signal);
}

/**
 * Sends a request for an event stream, and hands the stream over where the service grants one. It never throws.
 * @param receive gets the stream; any other response is read whole
 */
export function openStream(
  call: Call,
  key: string,
  receive: (stream: ReadableStream<Uint8Array>) => void,
  signal: AbortSignal,
): Promise<Exchange> {
  const read = async (response: Response) => {
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!response.ok || !isStream || !response.body) return response.text();
    receive(response.body);
    return "";
  };
  return exchange(call, key, read, signal);
}

async function exchange(
  call: Call,
  key: string,
  read: (response: Response) => Promise<string>,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
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
    const body = await read(response);
    return outcome({ status: response.status, headers: [...response.headers], body });
  } catch {
    return outcome(undefined);
  }
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
