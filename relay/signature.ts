import { createHmac } from "node:crypto";
import type { Secret } from "./secrets.ts";

/** What a signature covers. */
interface Signed {
  readonly id: string;
  /** Seconds since 1970; a judge of receivers signs what is no number, too. */
  readonly timestamp: number | string;
  readonly body: string;
}

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0): HMAC-SHA256 of `id.timestamp.body` in base64, once for each
 * secret, so that a receiver accepts either during a rotation.
 */
export function sign({ id, timestamp, body }: Signed, secrets: readonly Secret[]): string {
  const content = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac("sha256", secret).update(content).digest("base64")}`)
    .join(" ");
}
