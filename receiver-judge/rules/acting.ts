import type { Acts } from "../acts.ts";
import { accepted, forged, right, wrong } from "../chains.ts";
import { type Delivery, described, type Sent, wasAccepted } from "../delivery.ts";
import { GUIDE, type ReceiverRule } from "../rule.ts";

const SHOW = "let the receiver show what it has done, with --probe or --sandbox";
const UNTESTED = { isTested: false, faults: [] };

export const ACCEPTS_REPETITIONS: ReceiverRule = {
  id: "accepts-repetitions",
  title: "It accepts an event that comes again with 2xx.",
  testedBy: "accept what is genuine and refuse what is forged, so that a response proves something",
  page: `${GUIDE}#acting-once`,
  chains: (mint) => [
    function* () {
      const event = mint.event();
      const first = mint.delivery(event);
      yield right("that is genuine", first);
      yield wrong("of the same event, but signed with another secret", forged(mint, event), true);
      yield {
        ...right("that came before, with another timestamp", mint.delivery(event, { ahead: 1 })),
        acts: false,
      };
      yield { ...right("that came before, byte for byte", first), acts: false };
    },
  ],
};

export const ACTS_ONCE: ReceiverRule = {
  id: "acts-once",
  title: "It acts once on an event that comes twice.",
  testedBy: SHOW,
  page: `${GUIDE}#acting-once`,
  chains: () => [],
  observe({ all, acts }) {
    if (!acts) return UNTESTED;
    const events = [...Map.groupBy(all.filter(wasAccepted), ({ delivery }) => delivery.id).values()].map(
      (sent) => ({
        first: sent[0] as Sent,
        isRepeated: sent.length > 1,
        count: acts.count((sent[0] as Sent).delivery),
      }),
    );
    // What it calls for an event that came once, it may call for an event that came twice. A call names the animal alone, so
    // animals of two events are left out.
    const animals = Map.groupBy(events, ({ first }) => first.delivery.told.animal);
    const once = [...animals.values()]
      .filter(({ length }) => length === 1)
      .flat()
      .filter(({ isRepeated, first }) => !isRepeated && first.acts)
      .map(({ count }) => count);
    const most = acts.areCalls ? Math.max(1, ...once) : 1;
    const faults = events
      .filter(({ isRepeated, count }) => count > most && (isRepeated || !acts.areCalls))
      .map(
        ({ first, count }) =>
          `${timesOf(acts, count)} ${first.delivery.id} (#${first.number}), and ${most} would be right`,
      );
    return { isTested: events.some(({ isRepeated, count }) => isRepeated && count > 0), faults };
  },
};

function timesOf({ areCalls }: Acts, count: number): string {
  return areCalls ? `it made ${count} calls for` : `it acted ${count} times on`;
}

function after(patienceMs: number): string {
  return `after ${patienceMs / 1000} s`;
}

export const ACTS_ON_ACCEPTED: ReceiverRule = {
  id: "acts-on-accepted",
  title: "It acts on every event that it accepted, at once or later.",
  testedBy: SHOW,
  page: `${GUIDE}#acting-later`,
  chains: () => [],
  observe({ all, acts, patienceMs }) {
    if (!acts) return UNTESTED;
    const owed = all.filter((sent) => sent.acts && wasAccepted(sent));
    const faults = owed
      .filter(({ delivery }) => acts.count(delivery) === 0)
      .map((sent) => `${described(sent)}, and it had not acted on ${sent.delivery.id} ${after(patienceMs)}`);
    return { isTested: owed.length > 0, faults };
  },
};

export const ACTS_ON_NOTHING_REFUSED: ReceiverRule = {
  id: "acts-on-nothing-refused",
  title: "It never acts on what it refused.",
  testedBy: SHOW,
  page: `${GUIDE}#acting-once`,
  chains: () => [],
  observe({ all, acts }) {
    if (!acts) return UNTESTED;
    const genuine = all.filter(({ due }) => due !== "4xx");
    const ids = new Set(genuine.map(({ delivery }) => delivery.id));
    const animals = new Set(genuine.map(({ delivery }) => delivery.told.animal));
    const isHeld = ({ told }: Delivery) =>
      !animals.has(told.animal) && acts.animals?.includes(`${told.animal}`) === true;
    const refused = all.filter(
      (sent) => sent.due === "4xx" && !wasAccepted(sent) && !ids.has(sent.delivery.id),
    );
    const faults = refused
      .filter(({ delivery }) => acts.count(delivery) > 0 || isHeld(delivery))
      .map((sent) => `${described(sent)}, and it acted on it`);
    return { isTested: genuine.some(({ delivery }) => acts.count(delivery) > 0), faults };
  },
};

export const FORGERIES_BLOCK_NOTHING: ReceiverRule = {
  id: "forgeries-block-nothing",
  title: "It acts on an event although a forgery with its id came first.",
  testedBy: SHOW,
  page: `${GUIDE}#acting-once`,
  chains: (mint) => [
    function* () {
      const event = mint.event();
      yield wrong("signed with another secret, ahead of the genuine one", forged(mint, event), true);
      // What became of it is for this rule alone to say.
      yield { ...right("after a forgery with its id", mint.delivery(event)), acts: false, isAwaited: true };
    },
  ],
  observe({ own, all, acts, patienceMs }) {
    const genuine = own.find(({ due }) => due === "2xx");
    const actsAtAll = acts !== undefined && all.some((sent) => sent.acts && acts.count(sent.delivery) > 0);
    if (!genuine || !wasAccepted(genuine) || !actsAtAll) return UNTESTED;
    const isBlocked = acts.count(genuine.delivery) === 0;
    const fault = `${described(genuine)}, and it had not acted on it ${after(patienceMs)}`;
    return { isTested: true, faults: isBlocked ? [fault] : [] };
  },
};

export const KEEPS_ORDER: ReceiverRule = {
  id: "keeps-order",
  title: "An event that comes late does not undo a newer one.",
  testedBy: "let the receiver show the status of the animals that it holds, with --probe",
  page: `${GUIDE}#order`,
  chains: (mint) => [
    function* () {
      const older = mint.event({ type: "animal.status_changed", status: "pending" });
      const newer = mint.event({ type: "animal.status_changed", status: "sold", animal: older.told.animal });
      yield right("that is genuine", mint.delivery(newer));
      yield* accepted(mint, "that is older than one before", () => older, undefined, { acts: false })();
    },
  ],
  observe({ own, acts }) {
    const [newer] = own;
    const status = newer && acts?.status(newer.delivery.told.animal);
    if (!newer || status === undefined) return UNTESTED;
    const isUndone = status !== newer.delivery.told.status;
    return {
      isTested: true,
      faults: isUndone
        ? [`after #${newer.number} made it sold and an older event came, the animal is ${status}`]
        : [],
    };
  },
};
