import { join } from "node:path";
import { lackOfOrders } from "../contract/access.ts";
import { type Animal, animalOf, isSame, parseExact, show } from "../contract/animal.ts";
import { type Call, Client } from "../contract/client.ts";
import { assert, assertSame } from "../contract/contract-violation.ts";
import { orderOf, showOrder } from "../contract/order.ts";
import { type Context, Deadline, type Finding } from "./check.ts";
import { post } from "./history/random-actor.ts";
import { Workload } from "./history/workload.ts";
import { Instance } from "./program.ts";
import { StoreCommands } from "./store-commands.ts";
import type { TestStore } from "./testbed/testbed.ts";
import { type Contents, walkStore } from "./walk.ts";

const CLIENTS = 8;
/** The part of the steps in which a client buys animals, where the service takes orders. */
const BUYING = 0.4;
const BACKUPS_MAX = 3;
/** The least number of animals added between two backups. */
const BETWEEN = 100;
/** The lowest new id after a backup is restored where no store knows which ids were assigned. */
const IDS_FROM = 1_000_000n;

interface Backup {
  readonly file: string;
  /** When the command began and ended. */
  readonly from: number;
  readonly to: number;
  /** Its store after it is restored. */
  contents: Contents | undefined;
}

/** Clients that write, backups made meanwhile, and what restoring them gives. */
export class BackupSession {
  readonly #context: Context;
  readonly #store: TestStore;
  readonly #commands: StoreCommands;
  readonly #workload = new Workload();
  readonly #backups: Backup[] = [];
  #hasOrders = false;
  #final: Contents | undefined;
  #key = "";
  #revoked = "";
  #meanwhile = 0;

  constructor(context: Context, store: TestStore) {
    this.#context = context;
    this.#store = store;
    this.#commands = new StoreCommands(context.program, store);
  }

  /** Makes backups while clients write; at the end revokes a key that is valid in all backups. */
  async write(): Promise<void> {
    const { program, seed, signal } = this.#context;
    await using instance = await Instance.start(program, this.#store);
    this.#key = instance.key;
    this.#revoked = await this.#commands.createKey("to be revoked");
    const client = new Client(instance.base, this.#key);
    this.#hasOrders = (await lackOfOrders(client)) === undefined;
    let done = false;
    const enough = () => done || signal.aborted;
    const options = { clients: [client], name: "backup", seed, buying: this.#hasOrders ? BUYING : 0, enough };
    const writing = this.#workload.run(CLIENTS, options);
    try {
      await Promise.race([this.#backUpRepeatedly(), writing.then(() => signal.throwIfAborted())]);
    } finally {
      done = true;
      await writing;
    }
    await this.#commands.revokeLastKey();
    this.#final = await walkStore(client, this.#hasOrders);
    await instance.stop();
  }

  async #backUpRepeatedly(): Promise<void> {
    const { budgetMs, signal, progress } = this.#context;
    const { history } = this.#workload;
    const deadline = new Deadline(budgetMs / 4, signal);
    while (this.#backups.length === 0 || (!deadline.isOver && this.#backups.length < BACKUPS_MAX)) {
      const enough = history.acknowledged + BETWEEN;
      while (history.acknowledged < enough && !signal.aborted) await Bun.sleep(1);
      const file = join(this.#store.folder, `backup-${this.#backups.length}`);
      const before = history.acknowledged;
      const from = performance.now();
      await this.#commands.run("backup", file);
      this.#backups.push({ file, from, to: performance.now(), contents: undefined });
      this.#meanwhile += history.acknowledged - before;
      progress(deadline.part / 2, this.#backups.length);
    }
  }

  /** Restores each backup elsewhere: it must equal lists of everything at one moment of the backup. */
  async judge(): Promise<void> {
    const { program, testbed, progress } = this.#context;
    const { history } = this.#workload;
    for (const [index, backup] of this.#backups.entries()) {
      const { file, from, to } = backup;
      const other = await testbed.fresh();
      await new StoreCommands(program, other).run("restore", file, "--ids-from", `${IDS_FROM}`);
      await using instance = await Instance.start(program, other);
      const client = new Client(instance.base, this.#key);
      const contents = await walkStore(client, this.#hasOrders);
      backup.contents = contents;
      const span = { from, to, request: `animal-store backup, the ${index + 1}. of them,` };
      const [all, limit] = [{ status: undefined, after: 0 }, Number.POSITIVE_INFINITY];
      history.reads.page(all, limit, contents.animals, false, span);
      const allOrders = { status: undefined, petId: undefined, after: 0 };
      history.trades.reads.page(allOrders, limit, contents.orders, false, span);
      await this.#expectNewIds(client, IDS_FROM, IDS_FROM);
      await instance.stop();
      const damage = await other.examine();
      assert(damage === undefined, "a sound file after a restore", `${damage}`);
      await other.discard();
      progress(0.5 + (0.4 * (index + 1)) / this.#backups.length, index + 1);
    }
    const { animals, orders } = this.#final as Contents;
    history.judge(animals, orders);
  }

  /** Restores the last backup over the store itself. */
  async goBack(): Promise<void> {
    const { file, contents } = this.#backups.at(-1) as Backup;
    const { animals, orders } = contents as Contents;
    await this.#commands.run("restore", file, "--force");
    await using instance = await Instance.start(this.#context.program, this.#store);
    const client = new Client(instance.base, this.#key);
    const restored = await walkStore(client, this.#hasOrders);
    const differs = animals.findIndex((animal, at) => !isEqual(animal, restored.animals[at]));
    assert(
      restored.animals.length === animals.length && differs < 0,
      `the ${animals.length} animals of the backup, as they were`,
      `${restored.animals.length}, others from ${differs}`,
    );
    assertSame(restored.orders.map(showOrder).join("\n"), orders.map(showOrder).join("\n"));
    await this.#expectRetry(client, animals.at(-1)?.id ?? 0n);
    const final = this.#final as Contents;
    await this.#expectNewIds(
      client,
      (final.animals.at(-1)?.id ?? 0n) + 1n,
      (final.orders.at(-1)?.id ?? 0n) + 1n,
    );
    const revoked = { path: "/pets?limit=1", key: this.#revoked };
    await client.expect(revoked, 401, "401 for a key that was revoked after the backup");
  }

  /** Repeats the last create of the backup that had an `Idempotency-Key`. */
  async #expectRetry(client: Client, highest: bigint): Promise<void> {
    const keyed = this.#workload.knowledge.keyed.filter(
      ({ intent }) => BigInt(intent.id ?? highest + 1n) <= highest,
    );
    const [last] = keyed.toSorted((one, other) => (other.intent.id ?? 0) - (one.intent.id ?? 0));
    if (!last) return;
    const { content, id } = last.intent;
    const expected = `the first response again for a create of the backup, with the id ${id}`;
    const call = post("/pets", show(content), last.key);
    const again = animalOf(parseExact((await client.expect(call, 201, expected)).body));
    assert(Number(again.id) === id, expected, `the id ${again.id}`, client.curl(call));
  }

  /** Ids of a new animal and of a new order must be above all ids ever assigned. */
  async #expectNewIds(client: Client, least: bigint, leastOrder: bigint): Promise<void> {
    const animal = animalOf(
      await this.#added(client, { path: "/pets", body: '{"name":"after the restore","categoryId":1}' }),
    );
    assert(animal.id >= least, `an id from ${least} on, above all that were given before`, `${animal.id}`);
    if (!this.#hasOrders) return;
    const { id } = orderOf(await this.#added(client, { path: "/orders", body: `{"petId":${animal.id}}` }));
    assert(id >= leastOrder, `an order's id from ${leastOrder} on, above all given before`, `${id}`);
  }

  async #added(client: Client, call: Call): Promise<unknown> {
    return parseExact((await client.expect(call, 201, "201 after a restore")).body);
  }

  get finding(): Finding {
    const count = this.#backups.length;
    const most = (many: "animals" | "orders") =>
      Math.max(...this.#backups.map(({ contents }) => contents?.[many].length ?? 0));
    const [animals, orders] = [most("animals"), most("orders")];
    const milliseconds = this.#backups.map(({ from, to }) => to - from);
    return {
      verdict: "passed",
      details: [
        `${count} ${count === 1 ? "backup" : "backups"} of up to ${animals.toLocaleString("en")} animals and ${orders.toLocaleString("en")} orders, ` +
          `${this.#meanwhile.toLocaleString("en")} creates acknowledged meanwhile; each restored and compared`,
      ],
      figures: { backups: count, animals, orders, acknowledgedMeanwhile: this.#meanwhile, milliseconds },
    };
  }
}

function isEqual(one: Animal, other: Animal | undefined): boolean {
  return other !== undefined && one.id === other.id && isSame(one, other);
}
