import type { Secret } from "./secrets.ts";
import { sign } from "./signature.ts";

/** A delivery as it stands on the wire, except for what every HTTP request has. */
export interface Wire {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Posting {
  readonly secrets: readonly Secret[];
  /** Milliseconds since 1970. Each attempt has a time of its own: a receiver refuses an old one as a replay. */
  readonly now: number;
  /** `User-Agent`. */
  readonly agent: string;
}

/**
 * What is posted for a message, by Standard Webhooks 1.0. `flawed` makes something wrong of it, which a receiver must refuse.
 *
 * @param message `id` becomes `webhook-id`, and `body` is signed as it is
 */
export function wireOf(
  { id, body }: { readonly id: string; readonly body: string },
  { secrets, now, agent }: Posting,
): Wire {
  const timestamp = Math.floor(now / 1000);
  const headers = {
    "content-type": "application/json",
    "user-agent": agent,
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": sign({ id, timestamp, body }, secrets),
  };
  return { headers, body };
}
