import {
  isSame,
  type JournalRequest,
  laterSame,
  nameOf,
  outcomeOf,
  received,
  wasPutOff,
} from "../journal.ts";
import { observeEach, type Rule, type Run } from "../rule.ts";
import { usualOf } from "../usual.ts";

const KEYED: ReadonlySet<string | null> = new Set(["createPet", "placeOrder"]);
const KEY = "idempotency-key";
const PAGE = "guides/retries.md";

export const KEYED_CREATES: Rule = {
  id: "keyed-creates",
  title: "It repeats a create only with an Idempotency-Key.",
  testedBy: "give creates an Idempotency-Key, or repeat those that fail",
  page: PAGE,
  observe(run, runs) {
    const repeated = observeEach(failedCreatesOf(run), (first) => {
      const isKeyless = (each: JournalRequest) => each.headers[KEY] === undefined;
      const all = [first, ...laterSame(first, run.requests)].filter(isKeyless);
      // Two of the command's own creates may be equal: only more of them than usual are repetitions.
      const again = all[Math.max(1, usualOf(first, runs).filter(isKeyless).length)];
      return again
        ? `${nameOf(first)} ${outcomeOf(first)}, and #${again.id} repeated it without an Idempotency-Key: the store may have it twice`
        : undefined;
    });
    const keyed = createsOf(run).filter(({ headers }) => headers[KEY] !== undefined);
    return { ...repeated, tested: repeated.faults.length + keyed.length };
  },
};

export const SAME_KEY: Rule = {
  id: "same-key",
  title: "It repeats a create with the Idempotency-Key of the first attempt.",
  testedBy: "create an animal or an order, and repeat it when it fails",
  page: PAGE,
  observe(run, runs) {
    const retried = failedCreatesOf(run).flatMap((first) => {
      const later = laterSame(first, run.requests).filter(({ headers }) => headers[KEY] !== undefined);
      return first.headers[KEY] === undefined || later.length === 0 ? [] : [{ first, later }];
    });
    const isRepeated = ({ first, later }: (typeof retried)[number]) =>
      later.some(({ headers }) => headers[KEY] === first.headers[KEY]);
    // A key that is new to a content may belong to an equal create of the command's own.
    const judged = retried.filter(
      (each) => isRepeated(each) || keysOf([each.first, ...each.later]).size > usualKeysOf(each.first, runs),
    );
    return observeEach(judged, (each) =>
      isRepeated(each)
        ? undefined
        : `${nameOf(each.first)} ${outcomeOf(each.first)}, and #${each.later[0]?.id} repeated it with another Idempotency-Key: the store may have it twice`,
    );
  },
};

export const FRESH_KEYS: Rule = {
  id: "fresh-keys",
  title: "It makes a new Idempotency-Key for each create, and keeps none from one run to the next.",
  testedBy: "give creates an Idempotency-Key",
  page: PAGE,
  observe(run, runs) {
    const keyed = createsOf(run).filter(({ headers }) => headers[KEY] !== undefined);
    const others = keysOf(runs.filter((other) => other !== run).flatMap(createsOf));
    const [old] = keyed.filter(({ headers }) => others.has(headers[KEY] as string));
    // A test may fix the key of one create to see it replayed.
    const isFresh = keyed.some(({ headers }) => !others.has(headers[KEY] as string));
    const fault = `${old && nameOf(old)} has the Idempotency-Key ${old?.headers[KEY]} of another run: the service would take it for the same create`;
    return { tested: others.size > 0 ? keyed.length : 0, faults: old && !isFresh ? [fault] : [] };
  },
};

function createsOf({ requests }: Run): JournalRequest[] {
  return requests.filter(({ operation }) => KEYED.has(operation));
}

/** The creates of which the client does not know what became. */
function failedCreatesOf(run: Run): JournalRequest[] {
  const creates = createsOf(run).filter((request) => !isSettled(request));
  // Where an attempt fails as well, its first one is enough.
  return creates.filter((each, at) => !creates.slice(0, at).some((earlier) => isSame(earlier, each)));
}

function isSettled(request: JournalRequest): boolean {
  const response = received(request);
  return response !== undefined && response.status < 500 && !wasPutOff(request);
}

function keysOf(requests: readonly JournalRequest[]): ReadonlySet<string> {
  return new Set(requests.flatMap(({ headers }) => headers[KEY] ?? []));
}

/** With how many keys a command creates this by itself. */
function usualKeysOf(request: JournalRequest, runs: readonly Run[]): number {
  return Math.max(1, keysOf(usualOf(request, runs)).size);
}
