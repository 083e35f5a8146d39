import type { AnimalStore } from "../client/animal-store.ts";
import { AnimalStoreError } from "../client/errors.ts";
import { EventsExpiredError, InvalidParameterError } from "../client/errors-by-code.ts";
import type { StoreEvent } from "../client/events.ts";
import type { Page } from "../client/list.ts";
import { RelayEnd } from "./end.ts";
import type { Position } from "./position-file.ts";

/** Where a relay begins: at its position, with the oldest event that is kept, or after the latest. */
export type Start = Position | "oldest" | "latest";

/** Events that follow each other. */
export interface Batch {
  readonly events: readonly StoreEvent[];
  /** Where these events begin; `undefined` where no link leads to them, since they are the oldest. */
  readonly cursor: string | undefined;
  /** Where the feed continues after them. */
  readonly next: string;
}

const PAGE_SIZE = 100;

/**
 * The feed from its start on, without an end: a page at a time while there are events, and then the next as they happen.
 * Only pages tell where the feed continues in a way that another store refuses, so the stream that waits for the next
 * event only says that there is one.
 *
 * @throws RelayEnd if the service refuses the key, for example, or does not know the position
 */
export async function* batchesOf(
  store: AnimalStore,
  start: Start,
  signal: AbortSignal,
): AsyncGenerator<Batch, never> {
  // Outages of the service take as long as they take.
  const options = { signal, deadlineMs: Number.POSITIVE_INFINITY };
  let cursor = typeof start === "object" ? start.cursor : undefined;
  for (;;) {
    try {
      const list =
        cursor !== undefined
          ? store.events.listFrom(addressOf(cursor), options)
          : // With one event a link leads to what follows, before anything more is delivered.
            store.events.list({ limit: 1, from: start as "oldest" | "latest" }, options);
      const page: Page<StoreEvent> = await list.firstPage();
      const next = cursorOf(page);
      yield { events: page.items, cursor, next };
      cursor = next;
      if (page.items.length > 0) continue;
      for await (const _ of store.events.streamFrom(addressOf(cursor), { signal })) break;
    } catch (error) {
      throw explained(error, start);
    }
  }
}

/** The address of a page, as the client completes it below its base address. */
function addressOf(cursor: string): string {
  return `/v1/events?${new URLSearchParams({ limit: `${PAGE_SIZE}`, cursor })}`;
}

function cursorOf({ next }: Page<StoreEvent>): string {
  const cursor = next && new URL(next).searchParams.get("cursor");
  if (cursor) return cursor;
  throw new Error(
    "the service's page of events has no link to what follows: it is no Animal Store of this interface",
  );
}

function explained(error: unknown, start: Start): unknown {
  if (error instanceof EventsExpiredError) {
    return new RelayEnd(
      "feed_lost",
      "the feed does not continue after the relay's position: its events were kept too short, or its store was restored or failed over. " +
        "Compare your copy with the lists, and go on with --from-now, or with --replay-from and an event that is kept.",
      { cause: error },
    );
  }
  if (error instanceof InvalidParameterError && typeof start === "object") {
    return new RelayEnd("foreign_position", "the position is of another store", { cause: error });
  }
  if (error instanceof AnimalStoreError)
    return new RelayEnd("refused", `the service refuses to be read: ${error.message}`, { cause: error });
  return error;
}
