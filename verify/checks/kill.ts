import { lackOfOrders } from "../../contract/access.ts";
import { Client } from "../../contract/client.ts";
import { assert, Inconclusive } from "../../contract/contract-violation.ts";
import { type Agreement, addAgreements, describeAgreement, NO_AGREEMENT } from "../agreement.ts";
import { type Check, type Context, Deadline } from "../check.ts";
import { Workload } from "../history/workload.ts";
import { Instance } from "../program.ts";
import { Random } from "../random.ts";
import type { TestStore } from "../testbed/testbed.ts";
import { walkStore } from "../walk.ts";

const CLIENTS = 8;
/** The part of the steps in which a client buys animals, where the service takes orders. */
const BUYING = 0.5;
/** The part of the writes with an `Idempotency-Key`: only those can be retried after a kill. */
const KEYED = 0.8;
/** A kill comes after a random number of creates, up to this many. */
const CREATES_MAX = 150;
/** The least number of kills, however slow the machine is. */
const KILLS_MIN = 3;
/** After this many kills the store is judged and the next starts empty: judging a larger one takes time from the kills. */
const KILLS_PER_STORE = 8;
/** A service that acknowledges no create for this long, in milliseconds, proves nothing, and would never be killed. */
const STALL_MS = 30_000;

export const killCheck: Check = {
  name: "kill",
  promise:
    "After kill -9 during writes, the service starts again: no acknowledged create or order is lost, no id is given twice, " +
    "retrying a request whose response was lost does it once, and every animal's status agrees with its orders.",
  unit: "kills",
  share: 20,
  async run(context) {
    const deadline = new Deadline(context.budgetMs, context.signal);
    const totals = { kills: 0, acknowledged: 0, acknowledgedOrders: 0, cutOff: 0, retried: 0 };
    let agreement = NO_AGREEMENT;
    let skipped: string | undefined;
    const goesOn = () => totals.kills < KILLS_MIN || !deadline.isOver;
    while (goesOn()) {
      const store = await context.testbed.fresh();
      const workload = new Workload();
      do {
        skipped = await killOnce(context, store, workload, totals.kills++);
        context.signal.throwIfAborted();
        context.progress(deadline.part, totals.kills);
      } while (totals.kills % KILLS_PER_STORE !== 0 && goesOn());
      agreement = addAgreements(agreement, await judge(context, store, workload, skipped === undefined));
      const { counts } = workload.knowledge;
      totals.acknowledged += workload.history.acknowledged;
      totals.acknowledgedOrders += workload.history.trades.acknowledged;
      totals.cutOff += counts["cut off"] ?? 0;
      totals.retried += counts["retried after a kill"] ?? 0;
      await store.discard();
    }
    const { kills, acknowledged, cutOff, retried } = totals;
    return {
      // Kills that interrupted no request show nothing.
      verdict: cutOff > 0 ? "passed" : "inconclusive",
      details: [
        `${kills} kills during writes; all ${acknowledged.toLocaleString("en")} acknowledged creates are there; ` +
          `${cutOff.toLocaleString("en")} requests were cut off, and ${retried.toLocaleString("en")} writes retried`,
        skipped === undefined ? describeAgreement(agreement) : `no orders: ${skipped}`,
      ],
      figures: { ...totals, ...agreement },
    };
  },
};

/**
 * Starts an instance on the store that the last one left, and kills it in the middle of writes.
 *
 * @returns why the service takes no orders; `undefined` if it does
 */
async function killOnce(
  { program, seed, signal }: Context,
  store: TestStore,
  workload: Workload,
  round: number,
): Promise<string | undefined> {
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  const skipped = await lackOfOrders(client);
  const { history } = workload;
  const options = { clients: [client], name: `${round}`, seed: seed + round };
  await workload.retryUnanswered(options);
  const wanted = history.acknowledged + 1 + new Random(seed, round).below(CREATES_MAX);
  const buying = skipped === undefined ? BUYING : 0;
  const ended = workload.run(CLIENTS, {
    ...options,
    buying,
    keyed: KEYED,
    enough: () => false,
    mayVanish: true,
  });
  // If a client finds a violation, the round ends without waiting for the kill.
  const found = ended.then(() => true);
  let { acknowledged } = history;
  let progressAt = performance.now();
  let hasStalled = false;
  while (acknowledged < wanted && !hasStalled && !signal.aborted) {
    if (await Promise.race([found, Bun.sleep(1).then(() => false)])) break;
    hasStalled = performance.now() - progressAt > STALL_MS;
    if (history.acknowledged === acknowledged) continue;
    acknowledged = history.acknowledged;
    progressAt = performance.now();
  }
  await instance.kill();
  await ended;
  if (hasStalled) throw Inconclusive.of503(`no create was acknowledged for ${STALL_MS / 1000} s`);
  return skipped;
}

/** Reads the whole store, and compares it with everything that was answered. */
async function judge(
  { program, seed }: Context,
  store: TestStore,
  workload: Workload,
  hasOrders: boolean,
): Promise<Agreement> {
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  await workload.retryUnanswered({ clients: [client], name: "end", seed });
  const { animals, orders, agreement } = await walkStore(client, hasOrders);
  workload.history.judge(animals, orders);
  await instance.stop();
  const damage = await store.examine();
  assert(damage === undefined, "an intact database file", `${damage}`);
  return agreement;
}
