import {
  isSame,
  type JournalRequest,
  nameOf,
  nextSame,
  outcomeOf,
  received,
  wasCutOff,
  wasPutOff,
} from "../journal.ts";
import { type Observation, observeEach, type Rule } from "../rule.ts";

/** Timers may fire a little early, and clocks are read on both sides. */
const TOLERANCE_MS = 20;

export const SURVIVES_BREAKS: Rule = {
  id: "survives-breaks",
  title: "It tries again when a connection breaks before the response.",
  testedBy: "send requests; the sandbox breaks the first ones",
  observe: ({ requests }) => observeReturns(requests.filter(wasCutOff), requests),
};

export const SURVIVES_OUTAGES: Rule = {
  id: "survives-outages",
  title: "It tries again after a 429, 502 or 503.",
  testedBy: "send requests, and repeat them when they fail",
  observe: ({ requests }) => observeReturns(requests.filter(wasPutOff), requests),
};

export const HEEDS_RETRY_AFTER: Rule = {
  id: "heeds-retry-after",
  title: "It waits as long as Retry-After says.",
  testedBy: "repeat a request that got a 429 or 503",
  observe({ requests }) {
    const repeated = requests.flatMap((request) => {
      const response = received(request);
      const seconds = Number(response?.headers["retry-after"] ?? Number.NaN);
      const again = nextSame(request, requests);
      if (!response || !again || Number.isNaN(seconds)) return [];
      return [{ request, again, seconds, waitedMs: again.elapsedMs - response.elapsedMs }];
    });
    return observeEach(repeated, ({ request, again, seconds, waitedMs }) =>
      waitedMs >= seconds * 1000 - TOLERANCE_MS
        ? undefined
        : `${nameOf(request)} ${outcomeOf(request)} with Retry-After: ${seconds}, and #${again.id} came after ${Math.round(waitedMs)} ms`,
    );
  },
};

export const ACCEPTS_REFUSALS: Rule = {
  id: "accepts-refusals",
  title: "It does not repeat a request that was refused for good.",
  testedBy: "send a request that is refused, for example a create without a name",
  observe({ requests }) {
    const refused = requests.filter((request) => {
      const { status = 0 } = received(request) ?? {};
      return status >= 400 && status < 500 && !wasPutOff(request);
    });
    return observeEach(refused, (request) => {
      const next = requests.find(({ id }) => id > request.id);
      return next && isSame(request, next) && request.headers.authorization === next.headers.authorization
        ? `${nameOf(request)} ${outcomeOf(request)}, and #${next.id} repeated it unchanged`
        : undefined;
    });
  },
};

/** Whether the client sent each of some failed requests again. */
function observeReturns(failed: readonly JournalRequest[], requests: readonly JournalRequest[]): Observation {
  return observeEach(failed, (request) =>
    nextSame(request, requests)
      ? undefined
      : `${nameOf(request)} ${outcomeOf(request)}, and never came again`,
  );
}
