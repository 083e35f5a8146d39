import { AnimalStoreError, ServiceError } from "../client/errors.ts";
import type { Schema } from "./schema.ts";

/** What a tool gave: text for a model, and the same as a value for programs. */
interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/** A tool, as `tools/list` shows it. */
export interface Tool {
  readonly shown: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: Schema;
    readonly outputSchema?: Schema;
    readonly annotations: Readonly<Record<string, boolean>>;
  };
  /** Whether it changes nothing. */
  readonly onlyReads: boolean;
  /** @throws the reason of the signal when that aborts; what went wrong otherwise is a result */
  call(given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult>;
}

/** Hints for programs that ask a person before a tool changes something. */
export function annotationsOf(method: string): Readonly<Record<string, boolean>> {
  const isReading = method === "GET";
  return {
    readOnlyHint: isReading,
    ...(!isReading && { destructiveHint: method !== "POST", idempotentHint: true }),
    openWorldHint: false,
  };
}

export function success(value: object): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

export function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** What a call that failed shows a model: what happened, and what would be right. */
export function explained(error: unknown, tool: string): string {
  const { message } = error as Error;
  if (!(error instanceof AnimalStoreError)) return message;
  const { attempts, requestId, idempotencyKey } = error;
  const facts = [
    attempts > 1 && `after ${attempts} attempts`,
    requestId !== undefined && `request ${requestId}`,
  ].filter(Boolean);
  const shown = `${message}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
  if (error instanceof ServiceError) {
    const { code, status, retryAfterMs } = error;
    const wait = retryAfterMs === undefined ? "" : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    return `${code} (${status}): ${shown}${wait}`;
  }
  return idempotencyKey === undefined
    ? shown
    : `${shown}. It may have happened or not: call ${tool} again with the same arguments and ` +
        `idempotencyKey ${JSON.stringify(idempotencyKey)}, and it happens once.`;
}
