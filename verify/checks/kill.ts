import { type Animal, animalOf, type Content, isSame, parseExact, show } from "../animal.ts";
import { type Check, type Context, Deadline } from "../check.ts";
import { type Call, Client, NoAnswer } from "../client.ts";
import { assert, Inconclusive } from "../contract-violation.ts";
import { Instance } from "../program.ts";
import { Random } from "../random.ts";
import type { TestStore } from "../testbed/testbed.ts";
import { walk } from "../walk.ts";

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

export const killCheck: Check = {
  name: "kill",
  promise:
    "After kill -9 during writes, the service starts again: no acknowledged create is lost, no id is given twice, " +
    "and retrying a create whose response was lost creates one animal.",
  unit: "kills",
  share: 20,
  async run(context) {
    const deadline = new Deadline(context.budgetMs, context.signal);
    const totals = { kills: 0, acknowledged: 0, cutOff: 0, retried: 0 };
    while (totals.kills < KILLS_MIN || !deadline.isOver) {
      const store = await context.testbed.fresh();
      const ledger = new Ledger();
      for (let over = false; !over; ) {
        await killOnce(context, store, ledger, totals.kills++);
        context.signal.throwIfAborted();
        context.progress(deadline.part, totals.kills);
        over = (deadline.isOver && totals.kills >= KILLS_MIN) || ledger.acknowledged.size > ANIMALS_MAX;
        if (over || totals.kills % WALK_EVERY === 0) await judge(context, store, ledger);
      }
      totals.acknowledged += ledger.acknowledged.size;
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
          `${cutOff.toLocaleString("en")} creates were cut off, and ${retried.toLocaleString("en")} of them retried`,
      ],
      figures: totals,
    };
  },
};

/** A create that was sent and not answered. */
interface CutOff {
  readonly content: Content;
  readonly call: Call;
  readonly isRetryable: boolean;
}

/** The acknowledged creates and those in doubt, over all kills. */
class Ledger {
  /** By id. */
  readonly acknowledged = new Map<bigint, Content>();
  /** Creates that may be there or not, by name. */
  readonly doubtful = new Map<string, Content>();
  /** What is to be sent again. */
  pending: CutOff[] = [];
  cutOff = 0;
  retried = 0;
  highest = 0n;

  acknowledge(animal: Animal, content: Content, request: string): void {
    assert(isSame(animal, content), show(content), show(animal), request);
    const before = this.acknowledged.get(animal.id);
    assert(
      before === undefined,
      `an id that was never given`,
      `${animal.id}, which is ${before && show(before)}`,
      request,
    );
    this.acknowledged.set(animal.id, content);
    if (animal.id > this.highest) this.highest = animal.id;
  }
}

/** Starts an instance on the store that the last one left, and kills it in the middle of creates. */
async function killOnce({ program, seed, signal }: Context, store: TestStore, ledger: Ledger, round: number) {
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  await retry(client, ledger);
  const before = ledger.highest;
  const random = new Random(seed, round);
  const enough = ledger.acknowledged.size + 1 + random.below(CREATES_MAX);
  const clients = Array.from({ length: CLIENTS }, (_, id) =>
    createUntilKilled(
      client,
      ledger,
      before,
      `${round}.${id}`,
      (at) => new Random(seed + round, at * CLIENTS_MAX + id),
    ),
  );
  const ended = Promise.all(clients);
  // If a client finds a violation, the round ends without waiting for the kill.
  const found = ended.then(() => true);
  while (ledger.acknowledged.size < enough && !signal.aborted) {
    if (await Promise.race([found, Bun.sleep(1).then(() => false)])) break;
  }
  await instance.kill();
  await ended;
}

/** Repeats interrupted creates under their keys: each must be stored once, whether it was stored before or not. */
async function retry(client: Client, ledger: Ledger): Promise<void> {
  const { pending } = ledger;
  ledger.pending = [];
  for (const { content, call, isRetryable } of pending) {
    if (!isRetryable) continue;
    const { status, body } = await client.send(call);
    if (status === 503) throw Inconclusive.of503(body);
    assert(
      status === 201,
      "201 for a create that is retried after a crash",
      `${status}: ${body}`,
      client.curl(call),
    );
    ledger.acknowledge(animalOf(parseExact(body)), content, client.curl(call));
    ledger.doubtful.delete(content.name);
    ledger.retried++;
  }
}

/** One client, which creates animals until the instance is gone. */
async function createUntilKilled(
  client: Client,
  ledger: Ledger,
  before: bigint,
  name: string,
  chances: (at: number) => Random,
): Promise<void> {
  for (let at = 0; ; at++) {
    const random = chances(at);
    const categoryId = BigInt.asIntN(64, random.bytes(8).readBigInt64BE());
    const content: Content = {
      name: `${name}.${at}`,
      categoryId,
      status: random.pick(["available", "sold"]),
    };
    const isRetryable = random.chance(0.5);
    const call: Call = {
      path: "/pets",
      body: show(content),
      ...(isRetryable && { headers: { "Idempotency-Key": content.name } }),
    };
    try {
      const { status, body } = await client.send(call);
      assert(status === 201 || status === 503, "201", `${status}: ${body}`, client.curl(call));
      if (status === 503) {
        ledger.doubtful.set(content.name, content);
        continue;
      }
      const animal = animalOf(parseExact(body));
      assert(
        animal.id > before,
        `an id above ${before}, the highest before the crash`,
        `${animal.id}`,
        client.curl(call),
      );
      ledger.acknowledge(animal, content, client.curl(call));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      ledger.cutOff++;
      ledger.doubtful.set(content.name, content);
      ledger.pending.push({ content, call, isRetryable });
      return;
    }
  }
}

/** Reads the whole stock, and compares it with everything that was answered. */
async function judge({ program }: Context, store: TestStore, ledger: Ledger): Promise<void> {
  await using instance = await Instance.start(program, store);
  const client = new Client(instance.base, instance.key);
  await retry(client, ledger);
  const request = client.curl({ path: "/pets?limit=100" });
  const stock = await walk(client);
  const seen = new Set<string>();
  const ids = new Set<bigint>();
  let last = 0n;
  for (const animal of stock) {
    assert(animal.id > last, `ids that ascend, after ${last}`, `${animal.id}`, request);
    last = animal.id;
    ids.add(animal.id);
    const content = ledger.acknowledged.get(animal.id) ?? ledger.doubtful.get(animal.name);
    assert(
      content !== undefined,
      "only animals that a client sent",
      `${animal.id}: ${show(animal)}`,
      request,
    );
    assert(isSame(animal, content), `${show(content)} as animal ${animal.id}`, show(animal), request);
    assert(
      !seen.has(animal.name),
      "every animal once",
      `${show(animal)} a second time, as ${animal.id}`,
      request,
    );
    seen.add(animal.name);
  }
  for (const [id, content] of ledger.acknowledged)
    assert(
      ids.has(id),
      `animal ${id}, ${show(content)}, which was acknowledged`,
      "a list without it",
      request,
    );
  // Ids that were seen must not be reused, whether they were acknowledged or not.
  if (last > ledger.highest) ledger.highest = last;
  const exitCode = await instance.stop();
  assert(exitCode === 0, "an instance that stops on SIGTERM with exit code 0", `${exitCode}`);
  const damage = await store.examine();
  assert(damage === undefined, "an intact database file", `${damage}`);
}
