import { animalOf, type Content, parseExact, show } from "../animal.ts";
import { type Answer, type Call, type Client, NoAnswer } from "../client.ts";
import { assert, Inconclusive } from "../contract-violation.ts";
import { type OrderStatus, orderOf } from "../order.ts";
import type { Random } from "../random.ts";
import type { Ledger, OwnOrder } from "./ledger.ts";

/** Courses that an order may take, step by step. */
const COURSES: readonly (readonly OrderStatus[])[] = [
  [],
  ["approved"],
  ["cancelled"],
  ["approved", "cancelled"],
  ["approved", "delivered"],
  ["approved", "delivered"],
];

/** A write got 503, and whether it took effect is unknown. */
class PutOff extends Error {}

/** One client, which creates animals and orders some of them until the instance is gone. */
export class Writer {
  readonly #client: Client;
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #buys: boolean;
  readonly #before: { readonly animal: bigint; readonly order: bigint };

  /** @param buys whether the service takes orders */
  constructor(client: Client, ledger: Ledger, name: string, buys: boolean) {
    this.#client = client;
    this.#ledger = ledger;
    this.#name = name;
    this.#buys = buys;
    this.#before = { animal: ledger.highest, order: ledger.highestOrder };
  }

  async writeUntilKilled(chances: (at: number) => Random): Promise<void> {
    for (let at = 0; ; at++) {
      const random = chances(at);
      const name = `${this.#name}.${at}`;
      try {
        const id = await this.#create(name, random);
        if (id !== undefined && this.#buys && random.chance(0.6)) await this.#order(id, name, random);
      } catch (error) {
        if (error instanceof PutOff) continue;
        if (error instanceof NoAnswer) return;
        throw error;
      }
    }
  }

  /** Creates an animal; returns its id if it is available. */
  async #create(name: string, random: Random): Promise<bigint | undefined> {
    const categoryId = BigInt.asIntN(64, random.bytes(8).readBigInt64BE());
    const content: Content = { name, categoryId, status: random.pick(["available", "available", "sold"]) };
    const isRetryable = random.chance(0.5);
    const call: Call = {
      path: "/pets",
      body: show(content),
      ...(isRetryable && { headers: { "Idempotency-Key": name } }),
    };
    const ledger = this.#ledger;
    const answer = await this.#send(call, 201, (error) => {
      ledger.doubtful.set(name, content);
      if (error instanceof NoAnswer) ledger.pending.push({ content, call, isRetryable });
    });
    const animal = animalOf(parseExact(answer.body));
    this.#expectAbove(animal.id, this.#before.animal, call);
    ledger.acknowledge(animal, content, this.#client.curl(call));
    return content.status === "available" ? animal.id : undefined;
  }

  async #order(petId: bigint, name: string, random: Random): Promise<void> {
    const headers = { "Idempotency-Key": `order ${name}` };
    const call: Call = { path: "/orders", body: `{"petId":${petId}}`, headers };
    const own: OwnOrder = { petId, call, acknowledged: undefined, doubtful: "placed" };
    this.#ledger.orders.set(petId, own);
    const answer = await this.#send(call, 201);
    const order = orderOf(parseExact(answer.body));
    this.#expectAbove(order.id, this.#before.order, call);
    this.#ledger.acknowledgeOrder(own, order, "placed", this.#client.curl(call));
    for (const status of random.pick(COURSES)) {
      own.doubtful = status;
      const update = updateCall(own, status);
      const { body } = await this.#send(update, 200);
      this.#ledger.acknowledgeOrder(own, orderOf(parseExact(body)), status, this.#client.curl(update));
    }
  }

  #expectAbove(id: bigint, before: bigint, call: Call): void {
    assert(
      id > before,
      `an id above ${before}, the highest before the crash`,
      `${id}`,
      this.#client.curl(call),
    );
  }

  /** @throws NoAnswer, or PutOff, after `inDoubt` */
  async #send(call: Call, status: number, inDoubt: (error: unknown) => void = () => {}): Promise<Answer> {
    try {
      const answer = await this.#client.send(call);
      if (answer.status === 503) throw new PutOff();
      assert(
        answer.status === status,
        `${status}`,
        `${answer.status}: ${answer.body}`,
        this.#client.curl(call),
      );
      return answer;
    } catch (error) {
      if (error instanceof NoAnswer) this.#ledger.cutOff++;
      if (error instanceof NoAnswer || error instanceof PutOff) inDoubt(error);
      throw error;
    }
  }
}

/** Repeats interrupted requests: each must take effect once, whether it did before or not. */
export async function retryInterrupted(client: Client, ledger: Ledger): Promise<void> {
  const { pending } = ledger;
  ledger.pending = [];
  for (const { content, call, isRetryable } of pending) {
    if (!isRetryable) continue;
    const { body } = await sendAgain(client, call, 201);
    ledger.acknowledge(animalOf(parseExact(body)), content, client.curl(call));
    ledger.doubtful.delete(content.name);
    ledger.retried++;
  }
  for (const own of ledger.orders.values()) {
    const { doubtful } = own;
    if (doubtful === undefined) continue;
    const call = doubtful === "placed" ? own.call : updateCall(own, doubtful);
    const { body } = await sendAgain(client, call, doubtful === "placed" ? 201 : 200);
    ledger.acknowledgeOrder(own, orderOf(parseExact(body)), doubtful, client.curl(call));
    ledger.retried++;
  }
}

async function sendAgain(client: Client, call: Call, wanted: number): Promise<Answer> {
  const answer = await client.send(call);
  const { status, body } = answer;
  if (status === 503) throw Inconclusive.of503(body);
  const expected = `${wanted} for a request that is retried after a crash`;
  assert(status === wanted, expected, `${status}: ${body}`, client.curl(call));
  return answer;
}

function updateCall({ acknowledged }: OwnOrder, status: OrderStatus): Call {
  return { method: "PATCH", path: `/orders/${acknowledged?.id}`, body: `{"status":"${status}"}` };
}
