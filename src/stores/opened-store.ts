import type { Store } from "../domain/store.ts";
import type { CommitObserver } from "../observations/commit-observer.ts";
import type { ObservationSink } from "../observations/observation.ts";
import type { StandbyObserver } from "../observations/standby-observer.ts";
import type { WriteAheadLog } from "../observations/write-ahead-log.ts";

/** A writer in another process of the service. */
export interface WriterSocket {
  /** A socket whose other end that process has. */
  readonly descriptor: number;
  /** The number of processes that it writes for. */
  readonly sharers: number;
  /** Called when that process has closed its end. Nothing can be stored after that. */
  readonly lost: () => void;
}

/** The purpose of a store: a service's data, or a sandbox's examples with public API keys. */
export type StoreKind = "service" | "sandbox";

/** Options for opening a store. */
export interface OpenOptions {
  /** The only kind to open or create; `service` by default. A sandbox's store is an SQLite file. */
  readonly kind?: StoreKind | undefined;
  /** Whether to create a store if there is none; `create` by default. */
  readonly access?: "create" | "existing";
  /** Observes each transaction of writes. */
  readonly commits?: CommitObserver | undefined;
  /** The process that writes for this one, on an engine that allows one writer at a time. */
  readonly writer?: WriterSocket | undefined;
  /** Whether statements may wait longer than a request may, mostly for locks, since a person is waiting. */
  readonly patient?: boolean | undefined;
  /** Whether standbys of PostgreSQL answer reads: the servers of the URL other than the primary. */
  readonly readStandbys?: boolean | undefined;
  /** Observes the reads that standbys may answer. */
  readonly standbyReads?: StandbyObserver | undefined;
  /** Receives events for operators, for example whom a migration waits for. */
  readonly emit?: ObservationSink | undefined;
}

/** A store that this process has opened. */
export interface OpenedStore extends Store {
  /**
   * Writes for another process of the service too, which opens the store with the other end of this socket as its writer.
   * Absent on an engine that allows several writers at a time.
   */
  readonly writeFor?: ((descriptor: number) => void) | undefined;
  /**
   * Starts the writer before the first write does; resolves when it runs. It needs file descriptors, so it could not start
   * once clients have taken all of them.
   */
  readonly startWriter?: (() => Promise<void>) | undefined;
  /** Measures the write-ahead log, if the engine has one within this process. */
  readonly writeAheadLog?: (() => WriteAheadLog) | undefined;
  /**
   * Whether the store's files are no longer those that were opened. To close it, or to exit, would then overwrite what others
   * have stored since with this process's part of the log.
   */
  readonly wasReplaced?: (() => boolean) | undefined;
}
