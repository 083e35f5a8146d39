import { lackOfOrders } from "../../contract/access.ts";
import { Client } from "../../contract/client.ts";
import { Inconclusive } from "../../contract/contract-violation.ts";
import { type Agreement, addAgreements, describeAgreement, NO_AGREEMENT } from "../agreement.ts";
import { type Check, type Context, Deadline, type Finding } from "../check.ts";
import { revokeInUse } from "../history/revocation.ts";
import { allEnded, Workload } from "../history/workload.ts";
import { Instance } from "../program.ts";
import { StoreCommands } from "../store-commands.ts";
import { walkStore } from "../walk.ts";

const INSTANCES = 2;
const CLIENTS = 16;
/** After this many operations the store is judged and the next round starts empty, so that memory stays bounded. */
const STEPS_MAX = 16_000;
/** The length of the first round; each later round is twice as long as the one before. */
const STEPS_FIRST = 600;
/** The part of the steps in which a client buys animals, where the service takes orders. */
const BUYING = 0.25;
/** Above this share of 503 the check shows too little. */
const PUT_OFF_MAX = 0.02;

export const modelCheck: Check = {
  name: "model",
  promise:
    "However many clients call several instances at once, one order of all creates and reads explains every response, " +
    "and so for each animal that is ordered: it is never in two orders, and never sold twice. Integers and names are exact, " +
    "a retried request is done once, pages, links and ETags are correct, and a revoked key fails at once.",
  unit: "steps",
  share: 25,
  async run(context) {
    const deadline = new Deadline(context.budgetMs, context.signal);
    const totals: Totals = { counts: {}, agreement: NO_AGREEMENT, skipped: undefined };
    let steps = 0;
    const stepped = () => context.progress(deadline.part, ++steps);
    for (let round = 0; round === 0 || !deadline.isOver; round++) {
      await runRound(context, deadline, round, stepped, totals);
    }
    return found(totals);
  },
};

/** The totals of all rounds. */
interface Totals {
  readonly counts: Record<string, number>;
  agreement: Agreement;
  /** Why nothing was ordered. */
  skipped: string | undefined;
}

function found({ counts, agreement, skipped }: Totals): Finding {
  const { "put off": putOff = 0, "fit one order": ordered = 0, ...operations } = counts;
  const all = sum(operations);
  if (putOff > all * PUT_OFF_MAX) {
    throw new Inconclusive(
      `${putOff} of ${all} requests got 503`,
      "This disk or this machine is too slow for sixteen clients at once. Try again when the machine is less busy.",
    );
  }
  const of = (...kinds: string[]) => kinds.reduce((count, kind) => count + (operations[kind] ?? 0), 0);
  const retries = of("retry", "retry at once", "retry of a lost response");
  return {
    verdict: "passed",
    details: [
      `${ordered.toLocaleString("en")} writes and reads by ${CLIENTS} clients on ${INSTANCES} instances fit one order: ` +
        `${agreement.animals.toLocaleString("en")} animals, ${of("list", "list, if changed").toLocaleString("en")} pages`,
      `${retries.toLocaleString("en")} creates retried, ${of("lost response")} responses lost, ` +
        `${of("revocation")} keys revoked while in use`,
      skipped === undefined ? describeAgreement(agreement) : `no orders: ${skipped}`,
    ],
    figures: { ...counts, ...agreement },
  };
}

/** Lets clients work on an empty store until the round is over, then judges everything. */
async function runRound(
  context: Context,
  deadline: Deadline,
  round: number,
  stepped: () => void,
  totals: Totals,
): Promise<void> {
  const { program, testbed, seed, signal } = context;
  const store = await testbed.fresh();
  await using first = await Instance.start(program, store);
  await using second = await Instance.start(program, store);
  const clients = [first, second].map(({ base }) => new Client(base, first.key));
  const [client] = clients as [Client];
  totals.skipped = await lackOfOrders(client);
  const hasOrders = totals.skipped === undefined;
  const commands = new StoreCommands(program, store);
  const workload = new Workload();
  const { history, knowledge } = workload;
  let steps = 0;
  let failed = false;
  const limit = Math.min(STEPS_MAX, STEPS_FIRST * 2 ** round);
  // Fewer steps than the first round's would show nothing, however slow the machine is.
  const enough = () =>
    failed || signal.aborted || steps >= limit || (deadline.isOver && steps >= STEPS_FIRST);
  const onStep = () => {
    steps++;
    stepped();
  };
  const revoke = async () => {
    do {
      const requests = await revokeInUse(commands, clients);
      knowledge.count("revocation");
      knowledge.count("request while a key is revoked", requests);
    } while (!enough());
  };
  const options = {
    clients,
    name: `${round}`,
    seed: seed + round,
    buying: hasOrders ? BUYING : 0,
    enough,
    onStep,
  };
  const stopOthers = (error: unknown) => {
    failed = true;
    throw error;
  };
  await allEnded([revoke(), workload.run(CLIENTS, options)].map((task) => task.catch(stopOthers)));
  signal.throwIfAborted();
  const { animals, orders, agreement } = await walkStore(client, hasOrders);
  history.judge(animals, orders);
  for (const instance of [first, second]) await instance.stop();
  await store.discard();
  const counts = { ...knowledge.counts, "fit one order": history.operations, "put off": knowledge.putOff };
  for (const [kind, count] of Object.entries(counts))
    totals.counts[kind] = (totals.counts[kind] ?? 0) + count;
  totals.agreement = addAgreements(totals.agreement, agreement);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
