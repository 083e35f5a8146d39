import type { CallResponse } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import type { Session } from "./session.ts";
import { markStale } from "./stale.ts";

/**
 * Handles a refused change: asks for another key, remembers what the key may not do, or reloads the page's data.
 *
 * @param scope which the change requires
 * @returns the service's message, to show beside the button; empty if the session shows it, `undefined` if no response
 * came
 */
export function refusedChange(
  session: Session,
  scope: string,
  response: CallResponse | undefined,
): string | undefined {
  if (!response) return undefined;
  const message = messageOf(response);
  switch (response.status) {
    case 401:
      session.onRefusedKey();
      return "";
    case 403:
      session.forbid(scope, message);
      return "";
    case 404:
    case 409:
      markStale();
      return message;
    default:
      return message;
  }
}
