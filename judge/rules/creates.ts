import { isSame, type JournalRequest, nameOf, outcomeOf, received, wasPutOff } from "../journal.ts";
import { observeEach, type Rule, type Run } from "../rule.ts";

const KEYED: ReadonlySet<string | null> = new Set(["createPet", "placeOrder"]);
const KEY = "idempotency-key";

/** A create with an earlier one of the same content that the client had not seen succeed. */
interface Retry {
  readonly first: JournalRequest;
  readonly again: JournalRequest;
}

export const KEYED_CREATES: Rule = {
  id: "keyed-creates",
  title: "It repeats a create only with an Idempotency-Key.",
  testedBy: "give creates an Idempotency-Key, or repeat those that fail",
  observe(run) {
    const repeated = observeEach(retriesOf(run), ({ first, again }) =>
      first.headers[KEY] === undefined || again.headers[KEY] === undefined
        ? `${nameOf(first)} ${outcomeOf(first)}, and #${again.id} repeated it without an Idempotency-Key: the store may have it twice`
        : undefined,
    );
    const keyed = createsOf(run).filter(({ headers }) => headers[KEY] !== undefined);
    return { ...repeated, tested: repeated.tested + keyed.length };
  },
};

export const SAME_KEY: Rule = {
  id: "same-key",
  title: "It repeats a create with the Idempotency-Key of the first attempt.",
  testedBy: "create an animal or an order, and repeat it when it fails",
  observe(run) {
    const keyed = retriesOf(run).filter(
      ({ first, again }) => first.headers[KEY] !== undefined && again.headers[KEY] !== undefined,
    );
    return observeEach(keyed, ({ first, again }) =>
      first.headers[KEY] === again.headers[KEY]
        ? undefined
        : `${nameOf(first)} ${outcomeOf(first)}, and #${again.id} repeated it with another Idempotency-Key: the store may have it twice`,
    );
  },
};

function createsOf({ requests }: Run): JournalRequest[] {
  return requests.filter(({ operation }) => KEYED.has(operation));
}

function retriesOf(run: Run): Retry[] {
  const creates = createsOf(run);
  return creates.flatMap((again, index) => {
    const first = creates.slice(0, index).findLast((earlier) => isSame(earlier, again));
    return first && !isSettled(first) ? [{ first, again }] : [];
  });
}

/** Whether the client knows what became of a create. */
function isSettled(request: JournalRequest): boolean {
  const response = received(request);
  return response !== undefined && response.status < 500 && !wasPutOff(request);
}
