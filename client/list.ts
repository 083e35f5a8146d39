import { UnexpectedResponseError } from "./errors.ts";
import { linkTo } from "./link.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions } from "./options.ts";
import type { Reply, Transport } from "./transport.ts";

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
  constructor(transport: Transport, operation: Operation<Item[]>, firstUrl: string, options: CallOptions) {
    this.#transport = transport;
    this.#operation = operation;
    this.#firstUrl = firstUrl;
    this.#options = options;
  }

  /** All items, for `for await`. The loop throws an `AnimalStoreError` if a page cannot be fetched. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** All items, a page at a time; it throws as the loop over items does. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let url: string | undefined = this.#firstUrl; url !== undefined; ) {
      const page: Page<Item> = await this.#fetch(url);
      yield page;
      // The newest page of events links to those to come: a page without items ends the list until then.
      url = page.items.length > 0 ? page.next : undefined;
    }
  }

  /**
   * Fetches the first page alone.
   * @throws AnimalStoreError if it cannot be fetched
   */
  firstPage(): Promise<Page<Item>> {
    return this.#fetch(this.#firstUrl);
  }

  async #fetch(url: string): Promise<Page<Item>> {
    const reply = await this.#transport.call(this.#operation, url, this.#options);
    return { items: reply.value, url, next: this.#nextOf(reply), requestId: reply.requestId };
  }

  #nextOf({ link, url, requestId }: Reply<unknown>): string | undefined {
    const target = linkTo("next", link);
    if (target === undefined) return undefined;
    try {
      return this.#transport.address.follow(target, url);
    } catch (cause) {
      const call = { operation: this.#operation.id, requestId, idempotencyKey: undefined, attempts: 1 };
      const message = `${this.#operation.id}: the link to the next page leads elsewhere: ${target}`;
      throw new UnexpectedResponseError(message, 200, call, undefined, { cause });
    }
  }
}
