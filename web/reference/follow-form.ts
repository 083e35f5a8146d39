import type { Call } from "../browser/call.ts";
import { loadScript } from "../browser/load-script.ts";
import type { writeSamples } from "./live-samples.ts";
import { replaceSamples } from "./tabs.ts";
import { IDEMPOTENCY_KEY } from "./try-call.ts";

/** A script of its own, which the page names. */
interface LiveSamples {
  readonly writeSamples: typeof writeSamples;
}

let latest = 0;

/** Makes the samples of an operation follow the form of its "Try it". They stay as they are while a body is not JSON. */
export async function followForm(id: string, call: Call): Promise<void> {
  const turn = ++latest;
  // The samples show how to make these two, rather than the values of one request.
  const { [IDEMPOTENCY_KEY]: _key, "X-Request-Id": _id, ...headers } = call.headers;
  try {
    if (call.body !== undefined) JSON.parse(call.body);
    const live = await loadScript<LiveSamples>("samples");
    const written = await live.writeSamples(id, { path: call.path, headers, body: call.body });
    if (turn !== latest) return;
    replaceSamples(id, written);
  } catch {
    // Without the script, or with a body that is not JSON, the samples keep showing what they showed.
  }
}
