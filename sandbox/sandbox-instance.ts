import type { Config } from "../src/config/settings.ts";
import type { ChangeEvent, EventType } from "../src/domain/change-event.ts";
import { LIMIT_MAX } from "../src/domain/page.ts";
import { openApiDocument, type ServerAddress } from "../src/http/openapi/document.ts";
import type { OtherPages } from "../src/http/pages/site-page.ts";
import type { Handle } from "../src/http/runtime/bun-servers.ts";
import { type RunningService, startService } from "../src/http/service.ts";
import type { Operation } from "../src/operations/operation.ts";
import { scheduleCleanup } from "../src/service/cleanup.ts";
import { serverOptions } from "../src/service/server-options.ts";
import type { Telemetry } from "../src/service/telemetry.ts";
import { type OwnResponse, ownResponses } from "./own-responses.ts";
import type { OpenSpaceStore, SpaceStore } from "./space-storage.ts";

interface InstanceOptions {
  readonly config: Config;
  readonly telemetry: Telemetry;
  /** Those of the document. */
  readonly operations: readonly Operation[];
  /** The same, as they are carried out. */
  readonly served: readonly Operation[];
  readonly open: OpenSpaceStore;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The sandbox as the OpenAPI document's server. */
  readonly server: ServerAddress;
  readonly site: OtherPages;
}

/** The service of a space, from its start or a reset to the next reset. */
export class SandboxInstance {
  readonly #options: InstanceOptions;
  readonly #store: SpaceStore;
  readonly #service: RunningService;
  readonly #cleanup: { stop(): void };
  /** Makes responses as those of the service, which did not make them. */
  readonly ownResponse: OwnResponse;
  #hasEnded = false;

  private constructor(
    options: InstanceOptions,
    store: SpaceStore,
    service: RunningService,
    ownResponse: OwnResponse,
  ) {
    const { config, clock, telemetry } = options;
    this.#options = options;
    this.#store = store;
    this.#service = service;
    this.ownResponse = ownResponse;
    this.#cleanup = scheduleCleanup(store, { keepMs: config.EVENTS_KEEP, clock }, telemetry.emit);
  }

  /**
   * @param state in which to begin; left out: as it was left, or else the initial state
   * @throws UnusableStore if the file is not a sandbox's store
   */
  static async start(options: InstanceOptions, state: Uint8Array | undefined): Promise<SandboxInstance> {
    const { config, telemetry, operations, served, clock, server, site } = options;
    const { emit } = telemetry;
    const store = await options.open(state, clock, emit);
    try {
      const others = { ...serverOptions(config, store, telemetry), operations: served, clock };
      const openApi = () => openApiDocument(operations, [server]);
      const service = await startService({ ...others, site }, openApi);
      return new SandboxInstance(options, store, service, ownResponses(others));
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get handle(): Handle {
    return this.#service.handle;
  }

  /** Whether its store is closed: what it answers from now on means nothing. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The number of open streams. */
  get streams(): number {
    return this.#service.streams().open;
  }

  /** The state of its store. */
  state(): Uint8Array {
    return this.#store.state();
  }

  async newestEventId(): Promise<bigint> {
    const { reply } = await this.#store.read(() => this.#store.newestEventId());
    return reply;
  }

  /**
   * The first events of these types after the one with this id; none once the store is closed. Where events after it have
   * expired, it begins with the oldest that is kept.
   */
  async eventsAfter(types: readonly EventType[], id: bigint): Promise<readonly ChangeEvent[]> {
    const read = (after: bigint | undefined) =>
      this.#store.read(() => this.#store.listEvents({ types, after, limit: LIMIT_MAX }));
    try {
      if (this.#hasEnded) return [];
      const { reply } = await read(id);
      const page = reply === "expired" ? (await read(undefined)).reply : reply;
      return page === "expired" ? [] : page.items;
    } catch (error) {
      if (this.#hasEnded) return [];
      throw error;
    }
  }

  /** Deletes what the clock says has expired. */
  async deleteExpired(): Promise<void> {
    const { clock, config } = this.#options;
    // Each call deletes a bounded number of rows.
    while ((await this.#store.deleteExpired()) > 0);
    while ((await this.#store.deleteExpiredEvents(clock() - config.EVENTS_KEEP)) > 0);
  }

  /** Ends all streams, so that requests in progress can end. */
  refuse(): void {
    this.#cleanup.stop();
    this.#service.refuse();
  }

  /** Closes the store, without waiting for requests in progress. The last uses of its fixed keys tell nobody anything. */
  async end(): Promise<void> {
    this.refuse();
    this.#hasEnded = true;
    await this.#service.close(0);
    await this.#store.close();
  }
}
