import { type Finding, type Judgement, judgementOf } from "../judge/judgement.ts";
import type { Acts, Witness } from "./acts.ts";
import { right } from "./chains.ts";
import {
  type Delivery,
  described,
  isDue,
  type Planned,
  type Sent,
  wasAccepted,
  wasLate,
  wrongResponse,
} from "./delivery.ts";
import type { Mint } from "./mint.ts";
import type { ReceiverRule, Seen } from "./rule.ts";
import { RECEIVER_RULES } from "./rules.ts";

/** After this many deliveries without a response, nothing is there to be judged. */
const SILENCE_MAX = 3;
/** This many late responses say enough; each takes as long as a relay waits. */
const LATE_MAX = 5;
/** How often a receiver is asked what it has done. */
const ASK_EVERY_MS = 100;
/** A receiver may still be at work on what no act shows, such as a repetition, for this long after all else is done. */
const SETTLE_MS = 1000;

/** A receiver that cannot be judged: it responds to nothing. */
export class NoReceiver extends Error {}

/** What a judge of receivers needs. */
interface Judging {
  readonly post: (delivery: Delivery) => Promise<Sent["response"]>;
  readonly mint: Mint;
  /** Where the receiver shows what it has done, if it does. */
  readonly witness: Witness | undefined;
  /** Ids of rules that do not count. */
  readonly skipped: ReadonlySet<string>;
  /** How long a receiver may work on what it has accepted, in milliseconds. */
  readonly patienceMs: number;
}

/** A judgement, and what it follows from. */
interface Judged {
  readonly sent: readonly Sent[];
  readonly judgement: Judgement;
}

/**
 * Posts right and wrong deliveries in an order that chance decides, and judges the responses, and what the receiver then does.
 *
 * @throws NoReceiver if it does not respond
 */
export async function judgeReceiver(judging: Judging): Promise<Judged> {
  const { mint, witness, skipped, patienceMs } = judging;
  const chains = RECEIVER_RULES.filter(({ id }) => !skipped.has(id)).flatMap((rule) =>
    rule.chains(mint).map((chain) => ({ rule, chain })),
  );
  const sent: Sent[] = [];
  const owned = new Map<ReceiverRule, Sent[]>();
  let isWhole = true;
  for (const { rule, chain } of shuffled(chains, mint)) {
    for (const planned of chain()) {
      isWhole = sent.filter(wasLate).length < LATE_MAX;
      if (!isWhole) break;
      const one = await send(planned, sent, judging);
      owned.set(rule, [...(owned.get(rule) ?? []), one]);
    }
  }
  // What is done in order has been done once this one is.
  if (isWhole) await send(right("that is genuine, and the last", mint.delivery(), true), sent, judging);
  const acts = witness && (await actsOn(sent, witness, patienceMs));
  const findings = RECEIVER_RULES.map((rule): Finding => {
    if (skipped.has(rule.id)) return { rule, verdict: "skipped", evidence: [] };
    const own = owned.get(rule) ?? [];
    return findingOf(rule, { own, all: sent, acts, patienceMs }, isWhole);
  });
  return { sent, judgement: judgementOf(findings) };
}

async function send(planned: Planned, sent: Sent[], { post }: Judging): Promise<Sent> {
  const one = { ...planned, number: sent.length + 1, response: await post(planned.delivery) };
  sent.push(one);
  if (sent.length === SILENCE_MAX && sent.every(({ response }) => response.kind !== "response")) {
    // What is sent in pieces may fail for a reason of its own, before the time is up.
    const whole = sent.findLast(({ delivery }) => delivery.arrives === undefined);
    throw new NoReceiver(`${SILENCE_MAX} deliveries got no response: ${described(whole ?? one)}`);
  }
  return one;
}

function findingOf(rule: ReceiverRule, seen: Seen, isWhole: boolean): Finding {
  const { own, all } = seen;
  const judged = all.filter((sent) => (sent.isTwin ? sent.due === rule.twins : own.includes(sent)));
  const responses = judged.filter((sent) => isDue(sent) === false).map(wrongResponse);
  const observed = rule.observe?.(seen) ?? { isTested: own.length > 0, faults: [] };
  const evidence = [...responses, ...observed.faults];
  const isProved =
    isWhole &&
    observed.isTested &&
    own.every((sent) => (sent.isTwin ? differs(sent) : sent.due === "anything" || isDue(sent) === true)) &&
    tellsApart(all);
  return { rule, verdict: evidence.length > 0 ? "failed" : isProved ? "passed" : "untested", evidence };
}

/** Whether a receiver tells right from wrong at all: where it says the same to everything, it keeps to no rule by that. */
function tellsApart(all: readonly Sent[]): boolean {
  return (["2xx", "4xx"] as const).every((due) => all.some((sent) => sent.due === due && differs(sent)));
}

/** Whether what is right was accepted, or what is wrong was not, even if another rule blames the status. */
function differs(sent: Sent): boolean {
  return sent.response.kind === "response" && wasAccepted(sent) === (sent.due === "2xx");
}

/** What a receiver did, once it has acted on everything that it accepted, or has had its time. */
async function actsOn(sent: readonly Sent[], witness: Witness, patienceMs: number): Promise<Acts> {
  const owed = sent.filter((one) => (one.acts || one.isAwaited) && wasAccepted(one));
  const until = performance.now() + patienceMs;
  for (;;) {
    const acts = await witness.read();
    const isDone = owed.every(({ delivery }) => acts.count(delivery) > 0);
    const isOver = isDone || performance.now() >= until;
    const pauseMs = isOver ? Math.min(SETTLE_MS, patienceMs) : ASK_EVERY_MS;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (isOver) return await witness.read();
  }
}

/** In an order that chance decides (Fisher and Yates). */
function shuffled<Item>(items: readonly Item[], { chance }: Mint): readonly Item[] {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = chance.below(at + 1);
    [order[at], order[other]] = [order[other] as Item, order[at] as Item];
  }
  return order;
}
