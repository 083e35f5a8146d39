import { isSame, isSuccess, nameOf, received } from "../journal.ts";
import { observeEach, type Rule } from "../rule.ts";

/** A sandbox masks API keys in this way. */
const MASKED_KEY = /as_(?:test|live)_\*\*\*/;

export const USES_ETAG: Rule = {
  id: "uses-etag",
  title: "It asks with If-None-Match whether what it has is still current.",
  testedBy: "fetch the same list or animal twice",
  observe({ requests }) {
    const repeated = requests.flatMap((again) => {
      if (again.method !== "GET" || again.headers.accept === "text/event-stream") return [];
      const first = requests.findLast((earlier) => earlier.id < again.id && isSame(earlier, again));
      const response = first && received(first);
      return first && isSuccess(response) && response?.headers.etag ? [{ first, again }] : [];
    });
    return observeEach(repeated, ({ first, again }) =>
      again.headers["if-none-match"] === undefined
        ? `${nameOf(first)} got an ETag, and #${again.id} fetched the same again without If-None-Match`
        : undefined,
    );
  },
};

export const NOTICES_DEPRECATION: Rule = {
  id: "notices-deprecation",
  title: "It reports that an operation is deprecated.",
  testedBy: "fetch an animal by its id, which is deprecated",
  observe({ requests, output }) {
    const [deprecated] = requests.filter((request) => received(request)?.headers.deprecation !== undefined);
    if (!deprecated) return { tested: 0, faults: [] };
    const isReported = /deprecat|sunset/i.test(output);
    const fault = `${nameOf(deprecated)} got Deprecation and Sunset, and the command's output does not mention it`;
    return { tested: 1, faults: isReported ? [] : [fault] };
  },
};

export const KEY_IN_HEADER: Rule = {
  id: "key-in-header",
  title: "It sends its API key in no address, where logs would keep it.",
  testedBy: "send any request",
  observe: ({ requests }) =>
    observeEach(requests, (request) =>
      MASKED_KEY.test(request.target) ? `${nameOf(request)} has the key in its address` : undefined,
    ),
};
