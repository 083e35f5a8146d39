import { type Call, Client, type ClientResponse } from "../contract/client.ts";

/** The most requests per second to a service that others use. */
const PER_SECOND = 40;
/** The longest total wait for a service with a rate limit. */
const LIMIT_WAIT_MAX_MS = 60_000;

/** A client for a service that others use too: it paces its requests and respects the rate limit. */
export class PacedClient extends Client {
  readonly #signal: AbortSignal;
  #next = 0;
  #waited = 0;

  constructor(base: string, key: string, signal: AbortSignal) {
    super(base, key);
    this.#signal = signal;
  }

  override async send(call: Call): Promise<ClientResponse> {
    for (;;) {
      await this.#turn();
      const response = await super.send(call);
      const wait = Number(response.headers.get("retry-after") ?? "1") * 1000;
      if (response.status !== 429 || this.#waited + wait > LIMIT_WAIT_MAX_MS) return response;
      this.#waited += wait;
      await Bun.sleep(wait);
    }
  }

  async #turn(): Promise<void> {
    this.#signal.throwIfAborted();
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + 1000 / PER_SECOND;
    await Bun.sleep(at - now);
  }
}
