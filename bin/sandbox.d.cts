declare global {
  /** Part of TypeScript since 5.2, and of its libraries for programs that ask for it. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** An API key of a sandbox. */
export interface SandboxKey {
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly state: "valid" | "expired" | "revoked";
}

/** A running sandbox, as a process of its own. */
export interface RunningSandbox {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** The base address for clients: `address` with the version of the interface. */
  readonly baseUrl: string;
  /** The address of the control interface: faults, clock, journal, spaces, reset. */
  readonly control: string;
  /** A key that may do everything. */
  readonly apiKey: string;
  /** All keys, also those that are limited, expired and revoked. */
  readonly keys: readonly SandboxKey[];
  /** Stops it, and resolves once it has ended. */
  stop(): Promise<void>;
  /** The same, for `await using sandbox = await startSandbox();`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts `animal-store sandbox` on a free port, and waits until it is ready. It ends with `stop()`, or with this process, even
 * if that is killed. It keeps this process from ending no longer than it takes to start.
 *
 * @param options `args` are more options of the command, for example `["--store", "./sandbox.db"]`
 * @throws Error with what the command said, if it cannot start
 */
export function startSandbox(options?: { readonly args?: readonly string[] }): Promise<RunningSandbox>;
