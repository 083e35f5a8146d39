import { LongNumber, readMessage } from "./json.ts";
import type { Line } from "./lines.ts";

/** What a request is answered to by: a string, or a number, which is echoed with its digits. */
export type Id = string | number | LongNumber;

/** A request, or a notification, which has no id and gets no response (JSON-RPC 2.0). */
export interface Call {
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The error of a response (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  /** Of the request, where it could be read. */
  readonly id: Id | undefined;

  constructor(code: number, message: string, { data, id }: { data?: unknown; id?: Id | undefined } = {}) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
    this.id = id;
  }
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** The longest message, in bytes: the longest body of the service is a sixteenth of it. */
export const MESSAGE_MAX_BYTES = 1024 * 1024;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the call of a line; undefined for a response, which nobody has asked for.
 * @throws RpcError that says what a message must be
 */
export function callOf(line: Line): Call | undefined {
  if (line === "too long") {
    throw new RpcError(INVALID_REQUEST, `A message may have ${MESSAGE_MAX_BYTES} bytes at most.`);
  }
  const message = parsed(line);
  if (Array.isArray(message)) {
    throw new RpcError(INVALID_REQUEST, "A batch is not accepted: send one message a line.");
  }
  if (!isObject(message) || message.jsonrpc !== "2.0") {
    throw new RpcError(
      INVALID_REQUEST,
      'A message must be an object of JSON-RPC, with "jsonrpc": "2.0" and a method.',
    );
  }
  const { id, method, params = {} } = message;
  if (method === undefined && ("result" in message || "error" in message)) return undefined;
  if (id !== undefined && !isId(id)) {
    throw new RpcError(INVALID_REQUEST, "The id of a request must be a string or an integer.");
  }
  if (typeof method !== "string") {
    throw new RpcError(INVALID_REQUEST, "The method of a request must be a string.", { id });
  }
  if (!isObject(params)) throw new RpcError(INVALID_PARAMS, "The params must be an object.", { id });
  return { id, method, params };
}

function parsed(line: Uint8Array): unknown {
  try {
    return readMessage(UTF8.decode(line));
  } catch (error) {
    throw new RpcError(
      PARSE_ERROR,
      `A line must be a whole message as JSON in UTF-8: ${(error as Error).message}.`,
    );
  }
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isInteger(value) || value instanceof LongNumber;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)
  );
}
