import type { Tls } from "../http/server.ts";

/** What the supervisor tells a worker. */
export type Order =
  /** Make ready with these settings, and report so; `worker` is its number, from 1. */
  | { readonly kind: "prepare"; readonly worker: number; readonly settings: unknown }
  /** Listen; `first` when no sibling does. */
  | {
      readonly kind: "listen";
      readonly port: number;
      readonly first: boolean;
      readonly tls: Tls | undefined;
    }
  | { readonly kind: "replace_tls"; readonly tls: Tls }
  | { readonly kind: "stop"; readonly seconds: number }
  /** All siblings have come to the same point. */
  | { readonly kind: "proceed" }
  /** Tell what you have counted. */
  | { readonly kind: "count" }
  /** Tell that you go on. */
  | { readonly kind: "ping" };

/** What a worker reports to the supervisor. */
export type Report =
  | { readonly kind: "prepared" }
  | { readonly kind: "listening"; readonly address: string; readonly port: number }
  | { readonly kind: "tls_replaced" }
  | { readonly kind: "stopped" }
  /** What it was ordered cannot be done; the code is the runtime's, such as EADDRINUSE. */
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  /** It waits until its siblings are as far as it is. */
  | { readonly kind: "waiting" }
  | { readonly kind: "counted"; readonly counts: unknown }
  | { readonly kind: "pong" };
