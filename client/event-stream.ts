import { bodyOf, connectionFailed, noResponse } from "./connection-failure.ts";
import { type AnimalStoreError, type Call, UnexpectedResponseError } from "./errors.ts";
import { exactNumber, readJson, withInt64 } from "./exact-json.ts";
import type { Operation, Shape } from "./operation.ts";
import { checked, OPTIONS, type StreamOptions } from "./options.ts";
import { excerpt, refusalOf } from "./refusal.ts";
import { callOf, headerValue, type PreparedRequest } from "./request.ts";
import { BACKOFF_MAX_MS } from "./retry.ts";
import { ServerSentEventParser } from "./server-sent-events.ts";
import type { Transport } from "./transport.ts";
import { within } from "./within.ts";

const EVENT_STREAM = "text/event-stream";

/** The progress of a loop. */
interface Position {
  /** What `Last-Event-ID` says to the service; empty: from the oldest event. */
  resumeAfter: string;
  /** The id of the last event that the loop got. */
  lastEvent: bigint | undefined;
  /** When the last byte arrived, by `performance.now()`. */
  heardAt: number;
}

/**
 * The events of a feed as they happen, without an end. A loop connects when it begins, and reconnects whenever a
 * connection ends; it gets each event once and in order. The client reads from the network only when the loop asks for
 * more, so memory holds a few events, however slow the loop is. Each loop begins at the stream's own beginning.
 */
export class EventStream<Event extends { readonly id: bigint }> implements AsyncIterable<Event> {
  readonly #transport: Transport;
  readonly #request: PreparedRequest;
  /** The request to resume with, after an event. */
  readonly #resuming: PreparedRequest;
  readonly #shape: Shape;
  readonly #since: bigint | undefined;
  readonly #options: StreamOptions;

  /** @internal */
  constructor(
    transport: Transport,
    operation: Operation<Event[]>,
    url: string,
    since: bigint | undefined,
    options: StreamOptions,
  ) {
    this.#transport = transport;
    this.#options = checked(options, `a stream of ${operation.id}`, OPTIONS.stream);
    this.#request = transport.prepare(operation, url, options, undefined, EVENT_STREAM);
    this.#resuming = { ...this.#request, url: withoutCursor(url) };
    this.#shape = (operation.shape as readonly [Shape])[0];
    this.#since = since;
  }

  /** All events, for `for await`. The loop ends only with an error, or when it breaks. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, never, undefined> {
    const { signal, deadlineMs = Number.MAX_VALUE } = this.#options;
    const position: Position = {
      resumeAfter: this.#since === undefined ? "" : `${exactNumber(this.#since)}`,
      lastEvent: this.#since,
      heardAt: performance.now(),
    };
    for (let failures = 0; ; failures++) {
      const call = callOf(this.#request, failures + 1, this.#transport.nextRequestId());
      const connectedAt = performance.now();
      try {
        for await (const data of this.#connection(call, position)) {
          const event = this.#eventOf(data, call);
          // A proxy that repeats what it sent before would break the promise.
          if (position.lastEvent !== undefined && event.id <= position.lastEvent) continue;
          position.lastEvent = event.id;
          failures = 0;
          yield event;
        }
      } catch (error) {
        // A connection that lasted counts as good, even if it brought no event.
        if (position.heardAt - connectedAt > BACKOFF_MAX_MS) failures = 0;
        const { operation } = this.#request;
        await this.#transport.waitForRetry(operation, error, failures, position.heardAt + deadlineMs, signal);
      }
    }
  }

  /** Yields the data of one connection's messages. It advances the position, and ends only with an error. */
  async *#connection(call: Call, position: Position): AsyncGenerator<string, never, undefined> {
    const { signal, heartbeatMs = 45_000 } = this.#options;
    const silent = () => noResponse(this.#request, call, `nothing came for ${heartbeatMs} ms`);
    const controller = new AbortController();
    try {
      const reader = await this.#open(call, position.resumeAfter, controller.signal);
      const decoder = new TextDecoder();
      const parser = new ServerSentEventParser(position.resumeAfter);
      for (;;) {
        position.heardAt = performance.now();
        const { done, value } = await within(heartbeatMs, signal, silent, async () => {
          try {
            return await reader.read();
          } catch (error) {
            throw connectionFailed(this.#request, call, error);
          }
        });
        if (done) throw noResponse(this.#request, call, "the service ended the stream");
        yield* this.#messages(parser, decoder.decode(value, { stream: true }), call);
        position.resumeAfter = parser.lastId;
      }
    } finally {
      controller.abort();
    }
  }

  async #open(
    call: Call,
    resumeAfter: string,
    connection: AbortSignal,
  ): Promise<Pick<ReadableStreamDefaultReader<Uint8Array>, "read">> {
    const { timeoutMs = 10_000 } = this.#transport.options;
    const slow = () => noResponse(this.#request, call, `no response within ${timeoutMs} ms`);
    const headers = resumeAfter === "" ? {} : { "last-event-id": headerValue("since", resumeAfter) };
    return within(timeoutMs, this.#options.signal, slow, async () => {
      const request = resumeAfter === "" ? this.#request : this.#resuming;
      const response = await this.#transport.send(request, call, connection, headers);
      this.#transport.report(request, call, response);
      const { ok, body } = response;
      if (ok && body && response.headers.get("content-type")?.startsWith(EVENT_STREAM))
        return body.getReader();
      const text = await bodyOf(response, this.#request, call);
      throw ok ? this.#unexpected(text, call) : refusalOf(response, text, call);
    });
  }

  *#messages(parser: ServerSentEventParser, text: string, call: Call): Generator<string> {
    try {
      yield* parser.push(text);
    } catch (cause) {
      throw this.#unexpected(text, call, cause);
    }
  }

  #eventOf(data: string, call: Call): Event {
    try {
      return withInt64(readJson(data), this.#shape) as Event;
    } catch (cause) {
      throw this.#unexpected(data, call, cause);
    }
  }

  #unexpected(text: string, call: Call, cause?: unknown): AnimalStoreError {
    const message = `${call.operation}: the response is not an event stream: ${excerpt(text)}`;
    return new UnexpectedResponseError(message, 200, call, undefined, { cause });
  }
}

/** An address without its cursor: next to an event's id a cursor has no effect, and another store may refuse it. */
function withoutCursor(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("cursor");
  return url.href;
}
