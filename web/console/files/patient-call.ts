import { type Call, type CallResponse, headerOf } from "../../browser/call.ts";
import { messageOf } from "../../browser/refusal.ts";
import type { Service } from "../service.ts";

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
    if (response && response.status < 500 && response.status !== 429) {
      onWait("");
      return response;
    }
    onWait(response ? messageOf(response) : "No response came.");
    await pause(response && headerOf(response, "retry-after"), signal);
  }
  return undefined;
}

function pause(retryAfter: string | undefined, signal: AbortSignal): Promise<void> {
  const seconds = Number(retryAfter);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds > 0 ? seconds * 1000 : PAUSE_MS);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
