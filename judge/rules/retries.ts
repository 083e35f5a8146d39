import {
  type JournalRequest,
  laterSame,
  nameOf,
  outcomeOf,
  received,
  wasCutOff,
  wasPutOff,
} from "../journal.ts";
import { type Observation, observeEach, type Rule, type Run } from "../rule.ts";
import { usualCountOf, usualOf } from "../usual.ts";

const PAGE = "guides/retries.md";

/** Timers may fire a little early, and clocks are read on both sides. */
const TOLERANCE_MS = 20;

export const SURVIVES_BREAKS: Rule = {
  id: "survives-breaks",
  title: "It tries again when a connection breaks before the response.",
  testedBy: "send requests; the sandbox breaks the first ones",
  page: PAGE,
  observe: (run, runs) => observeReturns(run.requests.filter(wasCutOff), run, runs),
};

export const SURVIVES_OUTAGES: Rule = {
  id: "survives-outages",
  title: "It tries again after a 429, 502 or 503.",
  testedBy: "send requests, and repeat them when they fail",
  page: PAGE,
  observe: (run, runs) => observeReturns(run.requests.filter(wasPutOff), run, runs),
};

export const HEEDS_RETRY_AFTER: Rule = {
  id: "heeds-retry-after",
  title: "It waits as long as Retry-After says.",
  testedBy: "repeat a request that got a 429 or 503",
  page: PAGE,
  observe({ requests }, runs) {
    const repeated = requests.flatMap((request) => {
      const response = received(request);
      const seconds = Number(response?.headers["retry-after"] ?? Number.NaN);
      const later = laterSame(request, requests);
      if (!response || Number.isNaN(seconds) || later.length === 0) return [];
      const waited = later.map((again) => ({ again, waitedMs: again.elapsedMs - response.elapsedMs }));
      const early = waited.filter(({ waitedMs }) => waitedMs < seconds * 1000 - TOLERANCE_MS);
      // The others are requests that the command sends anyway: another test, or calls in parallel.
      const tooMany = early.at(usualCountOf(request, runs) - 1);
      return [{ request, seconds, tooMany }];
    });
    return observeEach(repeated, ({ request, seconds, tooMany }) =>
      tooMany
        ? `${nameOf(request)} ${outcomeOf(request)} with Retry-After: ${seconds}, and #${tooMany.again.id} came after ${Math.round(tooMany.waitedMs)} ms`
        : undefined,
    );
  },
};

export const ACCEPTS_REFUSALS: Rule = {
  id: "accepts-refusals",
  title: "It does not repeat a request that was refused for good.",
  testedBy: "send requests; the sandbox refuses the first ones",
  page: PAGE,
  observe({ requests }, runs) {
    const refused = requests.filter(wasRefused);
    const met = observeEach(
      refused.filter(({ fault }) => fault !== null),
      (request) => {
        const again = laterSame(request, requests).filter((each) => isSameCaller(request, each));
        const tooMany = again.at(usualCountOf(request, runs) - 1);
        return tooMany && repetitionOf(request, tooMany);
      },
    );
    // What the service refuses by itself may be asked for twice by two tests, unless it is plainly one call.
    const calls = refused.flatMap((request) => {
      const again = laterSame(request, requests).find((each) => isSameCall(request, each));
      return again && request.fault === null ? [repetitionOf(request, again)] : [];
    });
    return { tested: met.tested + calls.length, faults: [...met.faults, ...calls] };
  },
};

/** Whether it was refused for good. */
function wasRefused(request: JournalRequest): boolean {
  const { status = 0 } = received(request) ?? {};
  return status >= 400 && status < 500 && !wasPutOff(request);
}

function repetitionOf(request: JournalRequest, again: JournalRequest): string {
  return `${nameOf(request)} ${outcomeOf(request)}, and #${again.id} repeated it unchanged`;
}

function isSameCaller(one: JournalRequest, other: JournalRequest): boolean {
  return one.headers.authorization === other.headers.authorization;
}

/** Whether a client marked two requests as one call: no two calls share such a mark. */
function isSameCall(one: JournalRequest, other: JournalRequest): boolean {
  const mark = (name: string) => one.headers[name] !== undefined && one.headers[name] === other.headers[name];
  return isSameCaller(one, other) && (mark("idempotency-key") || mark("x-request-id"));
}

/** Whether the client sent each of some failed requests again. */
function observeReturns(
  failed: readonly JournalRequest[],
  { requests, exitCode }: Run,
  runs: readonly Run[],
): Observation {
  return observeEach(failed, (request) => {
    // A command that gave up has not sent all that it sends otherwise; and what is refused may have been repeated there.
    const usual = usualOf(request, runs).filter((each) => !wasRefused(each)).length;
    const expected = exitCode === 0 ? usual : 1;
    return laterSame(request, requests).length >= Math.max(1, expected)
      ? undefined
      : `${nameOf(request)} ${outcomeOf(request)}, and never came again`;
  });
}
