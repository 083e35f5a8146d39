import { TRANSIENT } from "../../client/retry.ts";
import { retryAfterMs } from "../../client/retry-after.ts";
import { sleep, TIMER_MAX_MS } from "../../client/within.ts";
import { type Call, type CallResponse, headerOf } from "../browser/call.ts";
import { messageOf } from "../browser/refusal.ts";
import type { Service } from "./service.ts";

/** Milliseconds between attempts where the service does not say. */
const PAUSE_MS = 2_000;

/**
 * Sends a request, again and again while the failure may pass, until there is a response that settles it.
 *
 * @param onWait is told why it waits; empty once it goes on
 * @returns `undefined` if `signal` aborted before that
 */
export async function patientCall(
  service: Pick<Service, "call">,
  call: Call,
  signal: AbortSignal,
  onWait: (reason: string) => void,
): Promise<CallResponse | undefined> {
  while (!signal.aborted) {
    // A request that was sent is waited for, so that its outcome is known when the reader stops.
    const { response } = await service.call(call);
    if (response && response.status < 500 && !TRANSIENT.has(response.status)) {
      onWait("");
      return response;
    }
    onWait(response ? messageOf(response) : "No response came.");
    const asked = response && retryAfterMs(headerOf(response, "retry-after") ?? "", Date.now());
    // The reader's stop, for which the wait rejects, ends the loop.
    await sleep(Math.min(asked || PAUSE_MS, TIMER_MAX_MS), signal).catch(() => {});
  }
  return undefined;
}
