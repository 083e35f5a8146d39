import { mock } from "bun:test";
import { type Call, Client, type ClientResponse, methodOf, NoResponse } from "../../contract/client.ts";
import { BlockSplitter, type StreamBlock } from "../../contract/server-sent-events.ts";
import type { Handle } from "../../src/http/runtime/bun-servers.ts";
import { startService } from "../../src/http/service.ts";
import type { Observation } from "../../src/observations/observation.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { keepRecording } from "../../src/service/recording.ts";
import type { PostgresUrl } from "../../src/stores/postgres/connect/url.ts";
import type { VirtualClock } from "./clock.ts";
import type { Network } from "./network.ts";
import type { Random } from "./random.ts";

let network: Network;

// The only seam to sockets below the store. Everything above it is the code that a service runs.
mock.module("../../src/stores/postgres/connect/server.ts", () => ({
  START_CONNECT_MS: 5000,
  connect: ({ name }: { name: string }, target: PostgresUrl) =>
    network.connect(name, target.options.connectTimeoutMs),
  endSession: ({ sql }: { sql: { close(): Promise<void> } }) => sql.close(),
}));

const { openPostgresStore } = await import("../../src/stores/postgres/store.ts");

/** Directs the connections of all instances to a simulated network, from now on. */
export function connectTo(next: Network): void {
  network = next;
}

/** An instance of the service, without its socket. */
export interface Instance {
  readonly handle: Handle;
  /** Has events recorded from now on, as a service does when it starts. */
  record(): void;
  stop(): Promise<void>;
}

const URL = "postgres://u@a,b,c/d?target_session_attrs=read-write";

/**
 * Starts an instance over the simulated network.
 *
 * @param aheadMs how much its machine's clock is ahead
 * @param answered called with the reads that standbys have answered
 */
export async function startInstance(
  aheadMs: number,
  emit: (event: Observation) => void,
  answered: (reads: number) => void,
): Promise<Instance> {
  const clock = () => Date.now() + aheadMs;
  const store = await openPostgresStore(URL, clock, {
    emit,
    readStandbys: true,
    standbyReads: { serves() {}, lags() {}, fellBack() {}, answered: (_, reads) => answered(reads) },
  });
  const options = {
    store,
    clock,
    emit,
    operations: operationsOffered("experimental"),
    environment: "production",
    allowedOrigins: "*",
    rateLimit: undefined,
    observer: undefined,
    trustProxy: false,
    maxRequests: 10_000,
    maxStreams: 100,
    keepAliveSeconds: 75,
    hstsSeconds: undefined,
  } as const;
  const service = await startService(options, () => "{}");
  let recording: { stop(): void } | undefined;
  return {
    handle: service.handle,
    record() {
      void keepRecording(store, emit).then((begun) => {
        recording = begun;
      });
    },
    async stop() {
      recording?.stop();
      service.refuse();
      await service.close(0);
      await store.close();
    },
  };
}

const CONNECTIONS = { requestIP: () => null, timeout() {}, pendingRequests: 0 };

/** Sees each answer, with its request. */
export type Seen = (call: Call, answer: ClientResponse) => void;

/** A client of an instance, which takes its time. */
export class SimulatedClient extends Client {
  readonly #handle: Handle;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #seen: Seen;

  constructor(name: string, key: string, handle: Handle, clock: VirtualClock, random: Random, seen: Seen) {
    super(`http://${name}/v1`, key);
    this.#handle = handle;
    this.#clock = clock;
    this.#random = random;
    this.#seen = seen;
  }

  override async send(call: Call): Promise<ClientResponse> {
    await this.#clock.sleep(this.#random.between(1, 50));
    const from = this.#clock.now;
    const aborted = new Promise<never>((_, reject) => {
      const abort = () => reject(new NoResponse("aborted", this.curl(call)));
      if (call.signal?.aborted) abort();
      call.signal?.addEventListener("abort", abort, { once: true });
    });
    aborted.catch(() => {});
    return await Promise.race([aborted, this.#answer(call, from)]);
  }

  /**
   * Reads a stream of events until it ends or there was enough, or the signal of the call says so. It takes its time with some pieces.
   *
   * @returns the status
   */
  async read(call: Call, isEnough: (block: StreamBlock) => boolean): Promise<number> {
    await this.#clock.sleep(this.#random.between(1, 50));
    const { body, status } = await this.#handle(this.#request(call), CONNECTIONS);
    if (status !== 200 || !body) return status;
    const reader = body.getReader();
    call.signal?.addEventListener("abort", () => void reader.cancel(), { once: true });
    const splitter = new BlockSplitter();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      await this.#clock.sleep(this.#random.between(0.1, this.#random.happens(0.1) ? 200 : 1));
      if (splitter.push(piece.value).some(isEnough)) await reader.cancel();
    }
    return status;
  }

  async #answer(call: Call, from: number): Promise<ClientResponse> {
    await this.#clock.sleep(this.#random.between(0.1, 1));
    const response = await this.#handle(this.#request(call), CONNECTIONS);
    const bytes = Buffer.from(await response.arrayBuffer());
    await this.#clock.sleep(this.#random.between(0.1, 1));
    const answer = {
      status: response.status,
      headers: response.headers,
      body: bytes,
      from,
      to: this.#clock.now,
    };
    this.#seen(call, answer);
    return answer;
  }

  #request(call: Call): Request {
    const body = call.body === undefined ? undefined : Buffer.from(call.body);
    const { key = this.key, headers } = call;
    return new Request(this.address(call), {
      method: methodOf(call),
      headers: {
        host: "animals",
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body && { "content-type": "application/json", "content-length": `${body.length}` }),
        ...headers,
      },
      ...(body && { body }),
    });
  }
}
