import { cutShort, trickled } from "../relay/broken-body.ts";
import type { Target } from "../relay/target.ts";
import type { Delivery, Sent } from "./delivery.ts";

/** Between the pieces of a slow body, in milliseconds: it takes a second or so. */
const PAUSE_MS = 150;
const NEVER = new AbortController().signal;

/** Posts a delivery as a relay does. @param timeoutMs how long `target` waits for the head of a response */
export async function post(
  target: Target,
  timeoutMs: number,
  { headers, body, arrives }: Delivery,
): Promise<Sent["response"]> {
  const begun = performance.now();
  let status: number | undefined;
  const posted = arrives === "cut" ? cutShort(body) : arrives === "slowly" ? trickled(body, PAUSE_MS) : body;
  const outcome = await target.post({ headers, body: posted }, NEVER, (response) => {
    status = response.status;
  });
  if (status !== undefined) return { kind: "response", status };
  // A timer may be early by what clocks round.
  if (performance.now() - begun >= timeoutMs - 1) return { kind: "late" };
  return { kind: "none", reason: outcome.kind === "failed" ? outcome.reason : outcome.kind };
}
