import type { ListStart } from "./address.ts";
import { UnexpectedResponseError } from "./errors.ts";
import { linkTo } from "./link.ts";
import type { Operation } from "./operation.ts";
import { type CallOptions, checked, OPTIONS } from "./options.ts";
import { PendingCall, type Reply } from "./pending-call.ts";
import { callOf } from "./request.ts";
import type { Transport } from "./transport.ts";

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The address of this page. `listFrom` fetches it again, and continues from there. */
  readonly url: string;
  /** The address of the next page (`Link`, RFC 8288). The last page has none; that of events has one, for later. */
  readonly next: string | undefined;
  /** The `X-Request-Id` of the response. */
  readonly requestId: string | undefined;
}

/**
 * The items of a list, which the client fetches page by page while a loop asks for them. Memory holds one page, however
 * long the list is. Each loop begins with the first page.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #operation: Operation<Item[]>;
  readonly #firstUrl: string;
  readonly #options: CallOptions;

  /** @internal */
  constructor(transport: Transport, operation: Operation<Item[]>, start: ListStart, options: CallOptions) {
    this.#transport = transport;
    this.#operation = operation;
    this.#firstUrl = transport.address.ofList(operation, start);
    this.#options = checked(options, operation.id, OPTIONS.call);
  }

  /** All items, for `for await`. The loop throws an `AnimalStoreError` if a page cannot be fetched. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** All items, a page at a time; it throws as the loop over items does. */
  pages(): AsyncGenerator<Page<Item>, void, undefined> {
    return this.#pagesFrom(this.#firstUrl);
  }

  /**
   * The first `count` items at most, for `for await`. It asks for no more.
   *
   * @example
   * for await (const animal of store.pets.list({ status: "available" }).take(10)) show(animal);
   */
  async *take(count: number): AsyncGenerator<Item, void, undefined> {
    if (!(count >= 0)) throw new RangeError(`take needs a number that is 0 or more, not ${count}`);
    let left = count;
    if (left === 0) return;
    for await (const { items } of this.#pagesFrom(withLimitUpTo(this.#firstUrl, count))) {
      for (const item of items) {
        if (left-- <= 0) return;
        yield item;
      }
      if (left <= 0) return;
    }
  }

  /** The first item; undefined if the list is empty. */
  async first(): Promise<Item | undefined> {
    for await (const item of this.take(1)) return item;
    return undefined;
  }

  /**
   * The items as an array, at most `limit`: memory holds them all, so the caller says how many may be.
   *
   * @example
   * const sold = await store.pets.list({ status: "sold" }).toArray({ limit: 1000 });
   */
  async toArray({ limit }: { readonly limit: number }): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this.take(limit)) items.push(item);
    return items;
  }

  /**
   * Fetches the first page alone.
   * @throws AnimalStoreError if it cannot be fetched
   */
  firstPage(): PendingCall<Page<Item>> {
    return new PendingCall(this.#fetch(this.#firstUrl));
  }

  async *#pagesFrom(first: string): AsyncGenerator<Page<Item>, void, undefined> {
    for (let url: string | undefined = first; url !== undefined; ) {
      const { value: page }: Reply<Page<Item>> = await this.#fetch(url);
      yield page;
      // The newest page of events links to those to come: there a page without items ends the list until then.
      url = page.items.length > 0 || this.#operation.id !== "listEvents" ? page.next : undefined;
    }
  }

  async #fetch(url: string): Promise<Reply<Page<Item>>> {
    const reply = await this.#transport.call(this.#operation, url, this.#options);
    const requestId = reply.headers.get("x-request-id") ?? undefined;
    return { ...reply, value: { items: reply.value, url, next: this.#nextOf(reply, requestId), requestId } };
  }

  #nextOf({ link, url, value }: Reply<Item[]>, requestId: string | undefined): string | undefined {
    const target = linkTo("next", link);
    if (target === undefined) return undefined;
    try {
      const next = this.#transport.address.follow(target, url);
      // An empty page of events leads to itself until there are more.
      if (next === url && (value.length > 0 || this.#operation.id !== "listEvents"))
        throw Error("it leads to itself");
      return next;
    } catch (cause) {
      const call = callOf({ operation: this.#operation }, 1, requestId);
      const message = `${this.#operation.id}: the link to the next page is wrong: ${target}`;
      throw new UnexpectedResponseError(message, 200, call, undefined, { cause });
    }
  }
}

/** The address of a page with at most `count` items. */
function withLimitUpTo(address: string, count: number): string {
  const url = new URL(address);
  const limit = Number(url.searchParams.get("limit"));
  if (limit > count) url.searchParams.set("limit", `${Math.max(1, Math.ceil(count))}`);
  return url.href;
}
