import { isSame, isSuccess, type JournalRequest, MASKED_KEY, nameOf, received } from "../journal.ts";
import { observeEach, type Rule, type Run } from "../rule.ts";

/** Calls that a client makes in parallel arrive within this time, also on a machine that is busy. */
const PARALLEL_MAX_MS = 100;
const DEPRECATION = /deprecat|sunset/i;

export const USES_ETAG: Rule = {
  id: "uses-etag",
  title: "It asks with If-None-Match whether what it has is still current.",
  testedBy: "fetch the same list or animal twice, one after the other",
  page: "guides/caching.md",
  observe({ requests }) {
    const asked = requests.filter(({ headers }) => headers["if-none-match"] !== undefined);
    const invented = asked.flatMap((request) =>
      knowsTag(request, requests)
        ? []
        : [
            `${nameOf(request)} sent If-None-Match: ${request.headers["if-none-match"]}, which no response to it had as ETag`,
          ],
    );
    // Each test of a suite may begin with nothing in its cache, so a single question is enough for an operation.
    const repeated = Map.groupBy(repetitionsIn(requests), ({ again }) => again.operation);
    const { tested, faults } = observeEach([...repeated.values()], (repetitions) => {
      const [one] = repetitions;
      const isAsked = repetitions.some(({ again }) => again.headers["if-none-match"] !== undefined);
      return one && !isAsked
        ? `${nameOf(one.first)} got an ETag, and #${one.again.id} fetched the same again without If-None-Match`
        : undefined;
    });
    return { tested: tested + invented.length, faults: [...invented, ...faults] };
  },
};

export const NOTICES_DEPRECATION: Rule = {
  id: "notices-deprecation",
  title: "It reports that an operation is deprecated, where a response says so.",
  testedBy: "fetch an animal by its id, which is deprecated",
  page: "guides/versioning.md",
  observe({ name, requests, output }, runs) {
    const deprecated = requests.find(
      (request) => isSuccess(received(request)) && received(request)?.headers.deprecation !== undefined,
    );
    if (!deprecated || name === "without deprecation") return { tested: 0, faults: [] };
    // Runtimes and installers speak of other deprecations; and a program may always say so.
    const quiet = runs.find((run) => run.name === "without deprecation");
    const always = new Set(quiet && mentionsIn(quiet));
    const mentions = mentionsIn({ output });
    if (mentions.some((line) => !always.has(line))) return { tested: 1, faults: [] };
    const instead =
      mentions.length > 0
        ? "the command's output says the same where no response has them"
        : "the command's output does not mention it";
    return { tested: 1, faults: [`${nameOf(deprecated)} got Deprecation and Sunset, and ${instead}`] };
  },
};

export const KEY_IN_HEADER: Rule = {
  id: "key-in-header",
  title: "It sends its API key in no address, where logs would keep it.",
  testedBy: "send any request",
  page: "guides/keys.md",
  observe: ({ requests }) =>
    observeEach(requests, (request) =>
      MASKED_KEY.test(request.target) ? `${nameOf(request)} has the key in its address` : undefined,
    ),
};

/** The lines that mention a deprecation, without the numbers that differ between runs. */
function mentionsIn({ output }: Pick<Run, "output">): string[] {
  return output
    .split("\n")
    .filter((line) => DEPRECATION.test(line))
    .map((line) => line.replaceAll(/\d+/g, "0").trim());
}

/** The requests for what the client had already: not those that it may have sent before it had it. */
function repetitionsIn(requests: readonly JournalRequest[]) {
  return requests.flatMap((again) => {
    if (again.method !== "GET" || again.headers.accept === "text/event-stream") return [];
    const first = tagsBefore(again, requests).at(-1)?.request;
    return first && isOneAfterOther(first, again, requests) ? [{ first, again }] : [];
  });
}

/** Whether a client sent the second request after the outcome of the first: long after it, or after another call in between. */
function isOneAfterOther(
  first: JournalRequest,
  second: JournalRequest,
  requests: readonly JournalRequest[],
): boolean {
  const endedMs = first.response?.elapsedMs ?? first.elapsedMs;
  const isBetween = (each: JournalRequest) =>
    each.elapsedMs > endedMs &&
    (each.response?.elapsedMs ?? Number.POSITIVE_INFINITY) < second.elapsedMs &&
    !isSame(each, first);
  return second.elapsedMs - endedMs > PARALLEL_MAX_MS || requests.some(isBetween);
}

/** The entity tags that the client had got for the same before it sent a request. */
function tagsBefore(again: JournalRequest, requests: readonly JournalRequest[]) {
  return requests.flatMap((request) => {
    const response = received(request);
    const tag = response?.headers.etag;
    if (!response || tag === undefined || !isSuccess(response)) return [];
    const isKnown = request.id < again.id && isSame(request, again) && response.elapsedMs <= again.elapsedMs;
    return isKnown ? [{ request, tag }] : [];
  });
}

/** Whether a request asks about an entity tag that the client had got, weak or strong (RFC 9110, section 13.1.2). */
function knowsTag(request: JournalRequest, requests: readonly JournalRequest[]): boolean {
  const asked: readonly string[] = request.headers["if-none-match"]?.match(/"[^"]*"/g) ?? [];
  return tagsBefore(request, requests).some(({ tag }) => asked.includes(tag.replace(/^W\//, "")));
}
