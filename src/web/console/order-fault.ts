import type { CallResponse } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import type { Session } from "./session.ts";

/**
 * Does what follows from a refused change of an order: another key is asked for, what the key may not do is known from
 * now on, or what is shown is loaded again.
 *
 * @returns what the service says, to stand beside the button; empty where the session shows it, `undefined` where no
 * response came
 */
export function faultOfOrder(
  session: Session,
  response: CallResponse | undefined,
  onStale: () => void,
): string | undefined {
  if (!response) return undefined;
  const message = messageOf(response);
  switch (response.status) {
    case 401:
      session.onRefusedKey();
      return "";
    case 403:
      session.forbid("orders:write", message);
      return "";
    case 404:
    case 409:
      onStale();
      return message;
    default:
      return message;
  }
}
