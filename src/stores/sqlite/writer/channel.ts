import type { KeyUseDays } from "../../../domain/api-key.ts";
import { StoreFailure } from "../../../domain/failure.ts";
import { writeJson } from "../../../domain/json-writer.ts";
import type { Added, Placed, Updated } from "../../../domain/store.ts";
import { type Create, type CreateOutcome, resultsOf } from "../../create.ts";
import type { WrittenBatch } from "../../group-commit.ts";
import type { OrderOutcome, OrderWrite } from "../../order-write.ts";
import { valuesOf, type Written } from "../../table.ts";
import { NEW_ANIMAL } from "../../tables.ts";
import { itemsOf, jsonOf } from "./exact-json.ts";
import type { WriterReply, WriterRequest } from "./messages.ts";

/**
 * The way to the writer of a store: a thread of this process (`thread.ts`), or of another process of the service
 * (`remote/remote-writer.ts`). What it asks arrives in `StoreWriter.write`.
 */
export interface WriterChannel {
  /** The number of processes that share the writer. */
  readonly sharers: number;
  /** Never rejects: the reply says what could not be done. */
  ask(request: WriterRequest): Promise<WriterReply>;
  /**
   * Makes the writer accept requests of another process too. Absent if the writer itself is in another process.
   *
   * @param descriptor a socket whose other end that process has; it is closed when that end is
   */
  serve?(descriptor: number): void;
  /** Starts the writer if it is in this process; resolves when it runs. */
  start?(): Promise<void>;
  close(): Promise<void>;
}

/** Stores creates in one transaction, in their order. @param now milliseconds since 1970 */
export async function writeCreates(
  channel: WriterChannel,
  creates: readonly Create[],
  now: number,
): Promise<WrittenBatch<Added>> {
  const kind = creates.some(({ idempotency }) => idempotency) ? "retryable" : "plain";
  const writes = writeJson(creates.map(rowOf)).slice("[".length, -"]".length);
  const reply = await channel.ask({ kind, count: creates.length, now, writes });
  if ("first" in reply) {
    const first = BigInt(reply.first);
    return { results: creates.map(({ animal }, at) => ({ id: first + BigInt(at), ...animal })) };
  }
  if ("outcomes" in reply) return { results: resultsOf(creates, itemsOf<CreateOutcome>(reply.outcomes)) };
  throw reasonOf(reply);
}

/** Places and changes orders in one transaction, in their order. @param now milliseconds since 1970 */
export async function writeOrders(
  channel: WriterChannel,
  writes: readonly OrderWrite[],
  now: number,
): Promise<WrittenBatch<Placed | Updated>> {
  const reply = await channel.ask({ kind: "orders", count: writes.length, now, writes: jsonOf(writes) });
  if ("outcomes" in reply) return { results: itemsOf<OrderOutcome>(reply.outcomes).map(resultOf) };
  throw reasonOf(reply);
}

/** Deletes some rows that were written at `before` (milliseconds since 1970) or earlier; returns their number. */
export async function sweep(
  channel: WriterChannel,
  kind: "sweep" | "sweep-events",
  before: number,
): Promise<number> {
  const reply = await channel.ask({ kind, before });
  if ("swept" in reply) return reply.swept;
  throw reasonOf(reply);
}

/** Records the days on which keys were used. */
export async function writeKeyUses(channel: WriterChannel, uses: KeyUseDays): Promise<void> {
  const reply = await channel.ask({ kind: "key-uses", uses: JSON.stringify([...uses]) });
  if (!("recorded" in reply)) throw reasonOf(reply);
}

/** Commits a number of transactions that change nothing, one after the other. */
export async function tryToWrite(channel: WriterChannel, transactions: number): Promise<void> {
  for (let n = 0; n < transactions; n++) {
    const reply = await channel.ask({ kind: "try" });
    if (!("tried" in reply)) throw reasonOf(reply);
  }
}

/** The order is that of `NEW_ANIMAL`, by which `insert-animals.ts` reads it. */
function rowOf({ animal, idempotency }: Create): readonly Written[] {
  const row = valuesOf(NEW_ANIMAL, animal);
  if (idempotency) row.push(idempotency.line, idempotency.key, idempotency.digest);
  return row;
}

function resultOf(outcome: OrderOutcome): Placed | Updated | Error {
  return typeof outcome === "object" && "refused" in outcome
    ? new Error(`the store refused a change of an order: ${outcome.refused}`)
    : outcome;
}

function reasonOf(reply: WriterReply): Error {
  if (!("error" in reply)) return new Error("the writer gave the reply to another kind of request");
  return reply.transient ? new StoreFailure("store_unavailable", reply.error) : new Error(reply.error);
}
