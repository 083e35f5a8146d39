import { type Call, ConnectionError } from "./errors.ts";
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

/**
 * Reads the body of a response as text.
 * @throws ConnectionError if the body does not arrive whole
 */
export async function bodyOf(response: Response, request: PreparedRequest, call: Call): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw connectionFailed(request, call, error);
  }
}
