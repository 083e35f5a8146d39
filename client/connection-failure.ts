import { type Call, ConnectionError, UnexpectedResponseError } from "./errors.ts";
import type { PreparedRequest } from "./request.ts";

/** The error of a request that got no complete response. */
export function noResponse(
  { operation, url }: PreparedRequest,
  call: Call,
  why: string,
  cause?: unknown,
): ConnectionError {
  return new ConnectionError(`${operation.id}: ${operation.method} ${url}: ${why}`, call, { cause });
}

/** The error of a request whose connection failed. It names the system's code, which some runtimes put into the cause. */
export function connectionFailed(request: PreparedRequest, call: Call, error: unknown): ConnectionError {
  const { code, cause, message } = error as {
    code?: string;
    cause?: Error & { code?: string };
    message?: string;
  };
  return noResponse(request, call, cause?.code ?? code ?? cause?.message ?? message ?? "no response", error);
}

/** A hundred times the longest page: what is longer does not come from the service, and would fill a program's memory. */
const TEXT_MAX = 10_000_000;

/**
 * Reads the body of a response as text.
 * @throws ConnectionError if the body does not arrive whole, UnexpectedResponseError if it is too long
 */
export async function bodyOf(response: Response, request: PreparedRequest, call: Call): Promise<string> {
  try {
    const { headers } = response;
    // Bun takes a fifth more CPU once it has made a stream of a body, so what says that it is short, by the digits of its length,
    // is read at once: packed with zstd, 999 bytes are 33 MB at most, and with others they may be a thousand times as many.
    // Others than the runtime's `fetch` may return no stream.
    const coding = headers.get("content-encoding");
    const isShort = (headers.get("content-length")?.length ?? 9) < (coding ? (coding === "zstd" ? 4 : 0) : 7);
    const reader = isShort ? undefined : response.body?.getReader?.();
    if (!reader) return await response.text();
    const decoder = new TextDecoder();
    for (let text = ""; text.length <= TEXT_MAX; ) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      if (done) return text;
    }
    // Its end need not be awaited.
    reader.cancel().catch(() => {});
  } catch (error) {
    throw connectionFailed(request, call, error);
  }
  throw new UnexpectedResponseError(`${call.operation}: the body is too long`, response.status, call);
}
