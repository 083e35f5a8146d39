import { expect } from "bun:test";
import { parseExact } from "../../contract/animal.ts";
import { type Call, type ClientResponse, NoResponse } from "../../contract/client.ts";
import { ORDER_STATUSES, type Order, orderOf } from "../../contract/order.ts";
import type { Fleet } from "./fleet.ts";

/** Clients that ask for each order to be changed at the same time. */
const CHANGERS = 4;

/** What races had to do. */
export interface Effort {
  requests: number;
  /** Requests that got no answer, or were put off, and were repeated. */
  repeated: number;
  refused: number;
}

/** Sends a request until it is answered: at any instance, since the one before it may be dead. */
async function sendUntilAnswered(
  fleet: Fleet,
  at: number,
  call: Call,
  effort: Effort,
): Promise<ClientResponse> {
  for (let tries = 0; ; tries++) {
    effort.requests++;
    try {
      const answer = await fleet.client(at + tries).send(call);
      if (answer.status !== 503) return answer;
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
    }
    effort.repeated++;
    await Bun.sleep(20);
  }
}

/** Adds available animals and returns their ids. */
export async function addAnimals(fleet: Fleet, count: number, name: string): Promise<bigint[]> {
  const effort: Effort = { requests: 0, repeated: 0, refused: 0 };
  const creates = Array.from({ length: count }, async (_, at) => {
    const own = `${name}.${at}`;
    const call = {
      path: "/pets",
      body: JSON.stringify({ name: own, categoryId: 1 }),
      headers: { "Idempotency-Key": own },
    };
    const { status, body } = await sendUntilAnswered(fleet, at, call, effort);
    expect(status).toBe(201);
    return (parseExact(body) as { id: bigint }).id;
  });
  return await Promise.all(creates);
}

/**
 * Lets clients race: each orders one animal after the other until it has got one. Resolves with the orders, of which
 * each animal has exactly one.
 */
export async function raceFor(
  animals: readonly bigint[],
  fleet: Fleet,
  clients: number,
  name: string,
  effort: Effort,
): Promise<Order[]> {
  const orders: Order[] = [];
  const race = Array.from({ length: clients }, async (_, client) => {
    for (const petId of shuffled(animals)) {
      const headers = { "Idempotency-Key": `${name}.${client}.${petId}` };
      const call = { path: "/orders", body: `{"petId":${petId}}`, headers };
      const { status, body } = await sendUntilAnswered(fleet, client, call, effort);
      if (status === 201) {
        orders.push(orderOf(parseExact(body)));
        return;
      }
      expect({ status, code: (parseExact(body) as { code: string }).code }).toEqual({
        status: 409,
        code: "animal_not_available",
      });
      effort.refused++;
    }
  });
  await Promise.all(race);
  const ordered = orders.map(({ petId }) => petId).sort((one, other) => Number(one - other));
  expect(ordered).toEqual([...animals].sort((one, other) => Number(one - other)));
  return orders;
}

/** Lets several clients change each order at the same time, at random. */
export async function changeAll(orders: readonly Order[], fleet: Fleet, effort: Effort): Promise<void> {
  const changes = orders.flatMap(({ id }, at) =>
    Array.from({ length: CHANGERS }, async (_, client) => {
      for (const status of shuffled(ORDER_STATUSES)) {
        const call = { method: "PATCH", path: `/orders/${id}`, body: `{"status":"${status}"}` };
        const answer = await sendUntilAnswered(fleet, at + client, call, effort);
        expect([200, 409]).toContain(answer.status);
        if (answer.status === 409) effort.refused++;
        else expect(orderOf(parseExact(answer.body)).status).toBe(status);
      }
    }),
  );
  await Promise.all(changes);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
