import { isIP } from "node:net";
import { retryAfterMs } from "../client/retry-after.ts";
import type { BrokenBody } from "./broken-body.ts";
import { isPublic, type Resolve, systemResolve, withoutBrackets } from "./public-address.ts";
import type { Wire } from "./wire.ts";

/** How one attempt to deliver ended. */
export type Outcome =
  | { readonly kind: "delivered"; readonly status: number }
  /** 410: the receiver wants no more (Standard Webhooks 1.0). */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs?: number | undefined };

/** What is posted: a delivery, or one whose body arrives in a way that it should not. */
export interface Posted extends Pick<Wire, "headers"> {
  readonly body: string | BrokenBody;
}

/** A response, with as much of its body as was read. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Whether the body ended there. */
  readonly isWhole: boolean;
}

interface TargetOptions {
  readonly url: URL;
  /** Whether http and addresses that are not public are allowed. */
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve;
  /** Milliseconds until the head of the response must be here. */
  readonly timeoutMs?: number;
  /** Certificate authorities in PEM, in place of the system's. */
  readonly ca?: string;
}

/** How long a relay waits for a response, in milliseconds: Standard Webhooks 1.0 recommends 15 to 30 s. */
export const TIMEOUT_MS = 15_000;
/** What a response says after its head changes nothing. So much of it is read, to use the connection again. */
const BODY_MAX_BYTES = 64 * 1024;
const BODY_MAX_MS = 1_000;

/** The address that events are posted to. */
export class Target {
  readonly #options: TargetOptions;
  readonly #host: string;
  #attempts = 0;

  constructor(options: TargetOptions) {
    this.#options = options;
    this.#host = withoutBrackets(options.url.hostname);
  }

  /**
   * Posts once.
   *
   * @param see gets the response, if there is one
   * @throws the reason of `signal` when that aborts; everything that can go wrong with the target is an outcome
   */
  async post(posted: Posted, signal: AbortSignal, see?: (response: Seen) => void): Promise<Outcome> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const connection = new AbortController();
    const timer = setTimeout(
      () => connection.abort(new Error(`no response within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const stop = () => connection.abort(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      signal.throwIfAborted();
      const response = await Promise.race([
        this.#send(posted, connection.signal),
        aborted(connection.signal),
      ]);
      const body = await readBody(response, connection);
      see?.({ status: response.status, headers: response.headers, ...body });
      return outcomeOf(response);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { kind: "failed", reason: reasonOf(error) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** The addresses that may be connected to. @throws Error that says why there is none */
  async addresses(): Promise<readonly string[]> {
    const { allowPrivate, resolve = systemResolve } = this.#options;
    const all = isIP(this.#host) ? [this.#host] : await resolve(this.#host);
    if (all.length === 0) throw new Error(`${this.#host} has no address`);
    const allowed = allowPrivate ? all : all.filter(isPublic);
    if (allowed.length > 0) return allowed;
    const what = isIP(this.#host) ? this.#host : `${this.#host} is ${all.join(", ")}, which`;
    throw new Error(`${what} is not public; --allow-private allows it`);
  }

  async #send({ body, headers }: Posted, signal: AbortSignal): Promise<Response> {
    const { url, ca } = this.#options;
    const addresses = await this.addresses();
    const address = addresses[this.#attempts++ % addresses.length] as string;
    // The request goes to the address that was checked: a name that is resolved again may lead elsewhere (DNS rebinding).
    const to = new URL(url);
    to.hostname = isIP(address) === 6 ? `[${address}]` : address;
    return fetch(to, {
      method: "POST",
      body: typeof body === "string" ? body : body.stream,
      headers: {
        ...headers,
        host: url.host,
        ...(typeof body !== "string" && { "content-length": `${body.length}` }),
      },
      redirect: "manual",
      // A small body may be a huge one when it is unpacked.
      decompress: false,
      signal,
      tls: { ...(isIP(this.#host) === 0 && { serverName: this.#host }), ...(ca !== undefined && { ca }) },
      // A proxy would decide where the request goes. The runtime accepts `false`, which its types do not have.
      ...({ proxy: false } as RequestInit),
    });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Reads the body of a response to its end, or closes its connection where that would take long. */
async function readBody(
  { body }: Response,
  connection: AbortController,
): Promise<Pick<Seen, "body" | "isWhole">> {
  const chunks: Uint8Array[] = [];
  let isWhole = false;
  const timer = setTimeout(() => connection.abort(), BODY_MAX_MS);
  try {
    let received = 0;
    for await (const chunk of body ?? []) {
      // Also the chunk that is too much: it may be the first.
      chunks.push(chunk);
      received += chunk.length;
      if (received > BODY_MAX_BYTES) break;
    }
    isWhole = received <= BODY_MAX_BYTES;
    if (!isWhole) connection.abort();
  } catch {
    // The status has arrived, and says it all.
  } finally {
    clearTimeout(timer);
  }
  return { body: Buffer.concat(chunks), isWhole };
}

function outcomeOf({ status, headers }: Response): Outcome {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "gone" };
  const what =
    status >= 300 && status < 400
      ? `status ${status}, a redirect, which is not followed`
      : `status ${status}`;
  return {
    kind: "failed",
    reason: what,
    retryAfterMs: retryAfterMs(headers.get("retry-after") ?? "", Date.now()),
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === "string" ? code : (message ?? "no response");
}
