import { StoreFailure } from "../../../domain/failure.ts";
import type { Added, Placed, Updated } from "../../../domain/store.ts";
import { added, type Create, type CreateOutcome, resultsOf } from "../../create.ts";
import type { WrittenBatch } from "../../group-commit.ts";
import type { OrderOutcome, OrderWrite } from "../../order-write.ts";
import type { Creates, RowOutcome, WriterReply, WriterRequest } from "./messages.ts";
import { orderJsonOf, outcomesOf } from "./order-json.ts";

/** The way to the one who writes. */
export interface WriterChannel {
  /** How many processes ask the same one. */
  readonly sharers: number;
  /** Resolves also where nothing could be done: the reply says so. */
  ask(request: WriterRequest): Promise<WriterReply>;
  /**
   * Has the one who writes do so for another process as well. It is absent where that one is in another itself.
   *
   * @param descriptor of a socket whose other end that process has; it is closed when that end is
   */
  serve?(descriptor: number): void;
  /** Starts what writes, if it is in this process; resolves when it runs. */
  start?(): Promise<void>;
  close(): Promise<void>;
}

/** @param now milliseconds since 1970 */
export async function writeCreates(
  channel: WriterChannel,
  creates: readonly Create[],
  now: number,
): Promise<WrittenBatch<Added>> {
  const reply = await channel.ask(requestFor(creates, now));
  if ("first" in reply) {
    const first = BigInt(reply.first);
    return { results: creates.map((create, at) => added(create, first + BigInt(at))) };
  }
  if ("each" in reply) return { results: resultsOf(creates, reply.each.map(outcomeOf)) };
  throw reasonOf(reply);
}

/** @param now milliseconds since 1970 */
export async function writeOrders(
  channel: WriterChannel,
  writes: readonly OrderWrite[],
  now: number,
): Promise<WrittenBatch<Placed | Updated>> {
  const count = writes.length;
  const reply = await channel.ask({ kind: "orders", count, now, writes: orderJsonOf(writes) });
  if ("orders" in reply) return { results: outcomesOf(reply.orders).map(resultOf) };
  throw reasonOf(reply);
}

/** Deletes some rows that were written at `before` (milliseconds since 1970) or earlier; returns how many. */
export async function sweep(
  channel: WriterChannel,
  kind: "sweep" | "sweep-events",
  before: number,
): Promise<number> {
  const reply = await channel.ask({ kind, before });
  if ("swept" in reply) return reply.swept;
  throw reasonOf(reply);
}

/** Commits what changes nothing. */
export async function tryToWrite(channel: WriterChannel): Promise<void> {
  const reply = await channel.ask({ kind: "try" });
  if (!("tried" in reply)) throw reasonOf(reply);
}

function requestFor(creates: readonly Create[], now: number): Creates {
  const count = creates.length;
  const rows = creates.map(rowOf).join(",");
  const retryable = creates.some(({ idempotency }) => idempotency);
  return { kind: retryable ? "retryable" : "plain", count, now, rows };
}

function rowOf({ animal, idempotency }: Create): string {
  const row = `${JSON.stringify(animal.name)},${animal.categoryId},"${animal.status}"`;
  return idempotency
    ? `[${row},${idempotency.line},${JSON.stringify(idempotency.key)},"${idempotency.digest}"]`
    : `[${row}]`;
}

function outcomeOf({ id, replayed, reused, refused }: RowOutcome): CreateOutcome {
  if (id !== undefined) return { id: BigInt(id), replayed };
  return reused ? { reused } : { refused: refused ?? "for no reason" };
}

function resultOf(outcome: OrderOutcome): Placed | Updated | Error {
  return typeof outcome === "object" && "refused" in outcome
    ? new Error(`the store refused a change of an order: ${outcome.refused}`)
    : outcome;
}

function reasonOf(reply: WriterReply): Error {
  if (!("error" in reply)) return new Error("the writer answered something else");
  return reply.transient ? new StoreFailure("store_unavailable", reply.error) : new Error(reply.error);
}
