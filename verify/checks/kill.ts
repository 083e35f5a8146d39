import { type Agreement, addAgreements, checkAgreement, describeAgreement } from "../agreement.ts";
import { type Check, type Context, Deadline } from "../check.ts";
import { Client } from "../client.ts";
import { accessOf, lackOf } from "../contract/access.ts";
import { assert, Inconclusive } from "../contract-violation.ts";
import { Ledger } from "../kill/ledger.ts";
import { retryInterrupted, Writer } from "../kill/writer.ts";
import { Instance } from "../program.ts";
import { Random } from "../random.ts";
import type { TestStore } from "../testbed/testbed.ts";
import { walk, walkOrders } from "../walk.ts";

const CLIENTS = 8;
const CLIENTS_MAX = 1024;
/** A kill comes after a random number of creates, up to this many. */
const CREATES_MAX = 150;
/** The least number of kills, however slow the machine is. */
const KILLS_MIN = 3;
/** The whole list is read once per this many kills: the list grows, and reading it takes time from kills. */
const WALK_EVERY = 8;
/** With this many animals the next store starts empty, for the same reason. */
const ANIMALS_MAX = 20_000;
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
    let agreement: Agreement = { animals: 0, orders: 0, open: 0, delivered: 0 };
    let skipped: string | undefined;
    while (totals.kills < KILLS_MIN || !deadline.isOver) {
      const store = await context.testbed.fresh();
      const ledger = new Ledger();
      for (let over = false; !over; ) {
        skipped = await killOnce(context, store, ledger, totals.kills++);
        context.signal.throwIfAborted();
        context.progress(deadline.part, totals.kills);
        over = (deadline.isOver && totals.kills >= KILLS_MIN) || ledger.acknowledged.size > ANIMALS_MAX;
        if (!over && totals.kills % WALK_EVERY !== 0) continue;
        const found = await judge(context, store, ledger, skipped === undefined);
        if (over) agreement = addAgreements(agreement, found);
      }
      totals.acknowledged += ledger.acknowledged.size;
      totals.acknowledgedOrders += ledger.acknowledgedOrders;
      totals.cutOff += ledger.cutOff;
      totals.retried += ledger.retried;
      await store.discard();
    }
    const { kills, acknowledged, cutOff, retried } = totals;
    return {
      // Kills that interrupted no create show nothing.
      verdict: cutOff > 0 ? "passed" : "inconclusive",
      details: [
        `${kills} kills during writes; all ${acknowledged.toLocaleString("en")} acknowledged creates are there; ` +
          `${cutOff.toLocaleString("en")} requests were cut off, and ${retried.toLocaleString("en")} of them retried`,
        skipped === undefined ? describeAgreement(agreement) : `no orders: ${skipped}`,
      ],
      figures: { ...totals, ...agreement },
    };
  },
};

/**
 * Starts an instance on the store that the last one left, and kills it in the middle of writes.
 *
 * @returns why nothing was ordered, if so
 */
async function killOnce(
  { program, seed, signal }: Context,
  store: TestStore,
  ledger: Ledger,
  round: number,
): Promise<string | undefined> {
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  const access = await accessOf(client);
  assert(access !== undefined, "a first key that the service accepts", "401");
  const skipped = lackOf(access, ["orders:read", "orders:write"]);
  await retryInterrupted(client, ledger);
  const random = new Random(seed, round);
  const enough = ledger.acknowledged.size + 1 + random.below(CREATES_MAX);
  const clients = Array.from({ length: CLIENTS }, (_, id) =>
    new Writer(client, ledger, `${round}.${id}`, skipped === undefined).writeUntilKilled(
      (at) => new Random(seed + round, at * CLIENTS_MAX + id),
    ),
  );
  const ended = Promise.all(clients);
  // If a client finds a violation, the round ends without waiting for the kill.
  const found = ended.then(() => true);
  let acknowledged = ledger.acknowledged.size;
  let progressAt = performance.now();
  let hasStalled = false;
  while (acknowledged < enough && !hasStalled && !signal.aborted) {
    if (await Promise.race([found, Bun.sleep(1).then(() => false)])) break;
    hasStalled = performance.now() - progressAt > STALL_MS;
    if (ledger.acknowledged.size === acknowledged) continue;
    acknowledged = ledger.acknowledged.size;
    progressAt = performance.now();
  }
  await instance.kill();
  await ended;
  if (hasStalled) throw Inconclusive.of503(`no create was acknowledged for ${STALL_MS / 1000} s`);
  return skipped;
}

/** Reads the whole store, and compares it with everything that was answered. */
async function judge(
  { program }: Context,
  store: TestStore,
  ledger: Ledger,
  hasOrders: boolean,
): Promise<Agreement> {
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  await retryInterrupted(client, ledger);
  const stock = await walk(client);
  const orders = hasOrders ? await walkOrders(client) : [];
  ledger.judge(stock, orders, client.curl({ path: "/pets?limit=100" }));
  const agreement = checkAgreement(stock, orders);
  const exitCode = await instance.stop();
  assert(exitCode === 0, "an instance that stops on SIGTERM with exit code 0", `${exitCode}`);
  const damage = await store.examine();
  assert(damage === undefined, "an intact database file", `${damage}`);
  return agreement;
}
