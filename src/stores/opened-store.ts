import type { EventSink } from "../domain/event.ts";
import type { CommitObserver, WriteAheadLog } from "../domain/observation.ts";
import type { Store } from "../domain/store.ts";

/** A writer in another process of the service. */
export interface WriterSocket {
  /** A socket, of whose other end that process was told. */
  readonly descriptor: number;
  /** For how many processes it writes. */
  readonly sharers: number;
  /** Called when that process has hung up: from then on nothing can be stored. */
  readonly lost: () => void;
}

/** What a store is for: a service's data, or a sandbox's examples with public API keys. */
export type StoreKind = "service" | "sandbox";

/** Options for opening a store. */
export interface OpenOptions {
  /** The only kind that is opened or made; `service` if left out. A sandbox's store is an SQLite file. */
  readonly kind?: StoreKind | undefined;
  /** `existing` makes no store where there is none; `create`, which holds by default, does. */
  readonly access?: "create" | "existing";
  /** Told of each transaction of writes. */
  readonly commits?: CommitObserver | undefined;
  /** Who writes for this process, where the engine takes writes of one at a time. */
  readonly writer?: WriterSocket | undefined;
  /** Whether statements may wait longer than a request may, for locks of others above all: a person waits. */
  readonly patient?: boolean | undefined;
  /** Told what an operator may want to know: whom a change of the schema waits for, say. */
  readonly emit?: EventSink | undefined;
}

/** A store that this process has opened by itself. */
export interface OpenedStore extends Store {
  /**
   * Where the engine takes writes of one process at a time: writes for another process of the service as well, which
   * opens the store with the other end of this socket as its writer. It is absent where each does better to write by
   * itself.
   */
  readonly writeFor?: ((descriptor: number) => void) | undefined;
  /**
   * Starts what the first create would start otherwise, where that needs file descriptors; resolves when it runs. Once
   * clients have taken every descriptor, it cannot be started.
   */
  readonly startWriter?: (() => Promise<void>) | undefined;
  /** Looks at the log, where the engine has one of its own. */
  readonly writeAheadLog?: (() => WriteAheadLog) | undefined;
}
