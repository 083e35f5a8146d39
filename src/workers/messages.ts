import type { Tls } from "../http/runtime/bun-servers.ts";

/** A message from the supervisor to a worker. */
export type Command =
  /** Open the store with these settings; `worker` is the worker's number, from 1. */
  | { readonly kind: "prepare"; readonly worker: number; readonly settings: unknown }
  /** Listen; `first` if no sibling listens yet. */
  | {
      readonly kind: "listen";
      readonly port: number;
      readonly first: boolean;
      readonly tls: Tls | undefined;
    }
  | { readonly kind: "replace_tls"; readonly tls: Tls }
  | { readonly kind: "stop"; readonly seconds: number }
  /** The barrier is open: all siblings have arrived. */
  | { readonly kind: "proceed" }
  | { readonly kind: "count" }
  | { readonly kind: "ping" };

/** A message from a worker to the supervisor. */
export type Report =
  | { readonly kind: "prepared" }
  | { readonly kind: "listening"; readonly address: string; readonly port: number }
  | { readonly kind: "tls_replaced" }
  | { readonly kind: "stopped" }
  /** The command failed; the code is the runtime's, such as EADDRINUSE. */
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  /** The worker has arrived at the barrier. */
  | { readonly kind: "waiting" }
  | { readonly kind: "counted"; readonly counts: unknown }
  | { readonly kind: "pong" };
