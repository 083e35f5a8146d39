/** @jsxImportSource preact */
import type { CallResponse } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import { Message } from "./message.tsx";

/** Why an animal or an order cannot be shown. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Whether another attempt would end the same. */
  readonly isFinal: boolean;
}

export function problemOf(response: CallResponse | undefined): Problem {
  if (!response) return { title: "No response", text: "The service could not be reached.", isFinal: false };
  const isFinal = response.status === 404;
  return { title: isFinal ? "Not found" : String(response.status), text: messageOf(response), isFinal };
}

/** The problem, and a button where it may pass. */
export function ItemProblem({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  return (
    <>
      <p class="callout bad" role="alert">
        <strong>{problem.title}.</strong> <Message text={problem.text} />
      </p>
      {problem.isFinal ? null : (
        <p>
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </>
  );
}
