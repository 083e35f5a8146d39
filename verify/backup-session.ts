import { join } from "node:path";
import { checkAgreement } from "./agreement.ts";
import { type Animal, animalOf, type Content, isSame, parseExact, show } from "./animal.ts";
import { type Context, Deadline, type Finding } from "./check.ts";
import { type Call, Client } from "./client.ts";
import { assert } from "./contract-violation.ts";
import { History } from "./history/history.ts";
import { type Order, orderOf, showOrder } from "./order.ts";
import { Instance } from "./program.ts";
import { Random } from "./random.ts";
import { StoreCommands } from "./store-commands.ts";
import type { TestStore } from "./testbed/testbed.ts";
import { walk, walkOrders } from "./walk.ts";

const CLIENTS = 8;
const CLIENTS_MAX = 1024;
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
  /** The animals and the orders of its store after it is restored. */
  animals: readonly Animal[];
  orders: readonly Order[];
}

/** An order that was acknowledged at a time. */
interface Placed {
  readonly order: Order;
  readonly at: number;
}

/** A create with an idempotency key. */
interface Repeatable {
  readonly call: Call;
  readonly id: bigint;
}

/** Clients that write, backups made meanwhile, and what restoring them gives. */
export class BackupSession {
  readonly #context: Context;
  readonly #store: TestStore;
  readonly #commands: StoreCommands;
  readonly #history = new History();
  readonly #backups: Backup[] = [];
  readonly #repeatable = new Map<bigint, Repeatable>();
  readonly #placed: Placed[] = [];
  #hasOrders = false;
  #stock: readonly Animal[] = [];
  #key = "";
  #revoked = "";
  #acknowledged = 0;
  #meanwhile = 0;
  #highest = 0n;
  #highestOrder = 0n;

  constructor(context: Context, store: TestStore) {
    this.#context = context;
    this.#store = store;
    this.#commands = new StoreCommands(context.program, store);
  }

  /** Makes backups while clients write; at the end revokes a key that is valid in all backups. */
  async write(): Promise<void> {
    const { program, signal } = this.#context;
    await using instance = await Instance.start(program, this.#store);
    this.#key = instance.key;
    this.#revoked = await this.#commands.createKey("to be revoked");
    const client = new Client(instance.base, this.#key);
    this.#hasOrders = (await client.send({ path: "/orders?limit=1" })).status !== 404;
    let done = false;
    const clients = Array.from({ length: CLIENTS }, (_, id) =>
      this.#create(client, id, () => done || signal.aborted),
    );
    const writing = Promise.all(clients);
    try {
      await Promise.race([this.#backUpRepeatedly(), writing.then(() => signal.throwIfAborted())]);
    } finally {
      done = true;
      await writing;
    }
    await this.#commands.revokeLastKey();
    const stock = await walk(client);
    const orders = await this.#ordersOf(client);
    checkAgreement(stock, orders);
    this.#highest = stock.at(-1)?.id ?? 0n;
    this.#highestOrder = orders.at(-1)?.id ?? 0n;
    await instance.stop();
    this.#stock = asCreated(stock, orders);
  }

  async #backUpRepeatedly(): Promise<void> {
    const { budgetMs, signal, progress } = this.#context;
    const deadline = new Deadline(budgetMs / 4, signal);
    while (this.#backups.length === 0 || (!deadline.isOver && this.#backups.length < BACKUPS_MAX)) {
      const enough = this.#acknowledged + BETWEEN;
      while (this.#acknowledged < enough && !signal.aborted) await Bun.sleep(1);
      const file = join(this.#store.folder, `backup-${this.#backups.length}`);
      const before = this.#acknowledged;
      const from = performance.now();
      await this.#commands.run("backup", file);
      this.#backups.push({ file, from, to: performance.now(), animals: [], orders: [] });
      this.#meanwhile += this.#acknowledged - before;
      progress(deadline.part / 2, this.#backups.length);
    }
  }

  async #create(client: Client, id: number, enough: () => boolean): Promise<void> {
    for (let at = 0; !enough(); at++) {
      const random = new Random(this.#context.seed, at * CLIENTS_MAX + id);
      const categoryId = BigInt.asIntN(64, random.bytes(8).readBigInt64BE());
      const content: Content = {
        name: `${id}.${at}`,
        categoryId,
        status: random.pick(["available", "sold"]),
      };
      const call = { path: "/pets", body: show(content), headers: { "Idempotency-Key": content.name } };
      const request = client.curl(call);
      const intent = this.#history.intend(content, request);
      const { status, body, to } = await client.send(call);
      assert(status === 201 || status === 503, "201", `${status}: ${body}`, request);
      if (status === 503) continue;
      const animal = animalOf(parseExact(body));
      this.#history.acknowledge(intent, animal, to);
      this.#repeatable.set(animal.id, { call, id: animal.id });
      this.#acknowledged++;
      if (this.#hasOrders && animal.status === "available" && random.chance(0.5))
        await this.#place(client, animal.id);
    }
  }

  async #place(client: Client, petId: bigint): Promise<void> {
    const call = { path: "/orders", body: `{"petId":${petId}}` };
    const { status, body, to } = await client.send(call);
    assert(status === 201 || status === 503, "201", `${status}: ${body}`, client.curl(call));
    if (status === 201) this.#placed.push({ order: orderOf(parseExact(body)), at: to });
  }

  async #ordersOf(client: Client): Promise<readonly Order[]> {
    return this.#hasOrders ? await walkOrders(client) : [];
  }

  /** A backup has every order that was acknowledged before it began, as it was placed. */
  #judgeOrders({ animals, orders, from }: Backup): void {
    checkAgreement(animals, orders);
    const restored = new Map(orders.map((order) => [order.id, order]));
    for (const { order, at } of this.#placed) {
      const found = restored.get(order.id);
      if (!found && at >= from) continue;
      const seen = found ? showOrder(found) : "nothing";
      assert(seen === showOrder(order), `${showOrder(order)}, in the backup`, seen);
    }
  }

  /** Restores each backup elsewhere: it must equal a list of everything at one moment. */
  async judge(): Promise<void> {
    const { program, testbed, progress } = this.#context;
    for (const [index, backup] of this.#backups.entries()) {
      const other = await testbed.fresh();
      await new StoreCommands(program, other).run("restore", backup.file, "--ids-from", `${IDS_FROM}`);
      await using instance = await Instance.start(program, other);
      const client = new Client(instance.base, this.#key);
      backup.animals = await walk(client);
      backup.orders = await this.#ordersOf(client);
      this.#judgeOrders(backup);
      await this.#expectNewIds(client, IDS_FROM, IDS_FROM);
      const { from, to } = backup;
      const animals = asCreated(backup.animals, backup.orders);
      const span = { from, to, request: `animal-store backup, the ${index + 1}. of them,` };
      this.#history.page({ filter: undefined, after: 0 }, Number.POSITIVE_INFINITY, animals, false, span);
      await instance.stop();
      const damage = await other.examine();
      assert(damage === undefined, "a sound file after a restore", `${damage}`);
      await other.discard();
      progress(0.5 + (0.4 * (index + 1)) / this.#backups.length, index + 1);
    }
    this.#history.judge(this.#stock);
  }

  /** Restores the last backup over the store itself. */
  async goBack(): Promise<void> {
    const { program } = this.#context;
    const backup = this.#backups.at(-1) as Backup;
    await this.#commands.run("restore", backup.file, "--force");
    await using instance = await Instance.start(program, this.#store);
    const client = new Client(instance.base, this.#key);
    const animals = await walk(client);
    const differs = animals.findIndex((animal, index) => !isEqual(animal, backup.animals[index]));
    const expected = `the ${backup.animals.length} animals of the backup, as they were`;
    assert(
      animals.length === backup.animals.length && differs < 0,
      expected,
      `${animals.length}, others from ${differs}`,
    );
    const [found, kept] = [await this.#ordersOf(client), backup.orders].map((orders) =>
      orders.map(showOrder).join("; "),
    );
    assert(found === kept, `the ${backup.orders.length} orders of the backup, as they were`, `${found}`);
    const last = this.#repeatable.get(backup.animals.at(-1)?.id ?? 0n);
    if (last) {
      const { status, body } = await client.send(last.call);
      const again = status === 201 && animalOf(parseExact(body)).id === last.id;
      assert(
        again,
        `the first answer again for a create of the backup, with the id ${last.id}`,
        `${status}: ${body}`,
        client.curl(last.call),
      );
    }
    await this.#expectNewIds(client, this.#highest + 1n, this.#highestOrder + 1n);
    const revoked = await client.send({ path: "/pets?limit=1", key: this.#revoked });
    assert(revoked.status === 401, "401 for a key that was revoked after the backup", `${revoked.status}`);
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
    const { status, body } = await client.send(call);
    assert(status === 201, "201 after a restore", `${status}: ${body}`, client.curl(call));
    return parseExact(body);
  }

  get finding(): Finding {
    const count = this.#backups.length;
    const largest = Math.max(...this.#backups.map(({ animals }) => animals.length));
    const orders = Math.max(...this.#backups.map((backup) => backup.orders.length));
    const milliseconds = this.#backups.map(({ from, to }) => to - from);
    return {
      verdict: "passed",
      details: [
        `${count} ${count === 1 ? "backup" : "backups"} of up to ${largest.toLocaleString("en")} animals and ${orders.toLocaleString("en")} orders, ` +
          `${this.#meanwhile.toLocaleString("en")} creates acknowledged meanwhile; each restored and compared`,
      ],
      figures: {
        backups: count,
        animals: largest,
        orders,
        acknowledgedMeanwhile: this.#meanwhile,
        milliseconds,
      },
    };
  }
}

/** The animals as they were created: only orders change a status here, and only of animals that are available. */
function asCreated(animals: readonly Animal[], orders: readonly Order[]): readonly Animal[] {
  const ordered = new Set(orders.map(({ petId }) => petId));
  return animals.map((animal) => (ordered.has(animal.id) ? { ...animal, status: "available" } : animal));
}

function isEqual(one: Animal, other: Animal | undefined): boolean {
  return other !== undefined && one.id === other.id && isSame(one, other);
}
