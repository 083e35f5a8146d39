import type { Environment } from "./environment.ts";

/** What happened that an operator may want to know. Telemetry decides how it is told. */
export type Event =
  | { readonly event: "listening"; readonly address: string; readonly environment: Environment }
  | { readonly event: "metrics_listening"; readonly address: string }
  | { readonly event: "first_key_issued"; readonly key: string; readonly example: string }
  | { readonly event: "first_key_written"; readonly file: string }
  | { readonly event: "request_failed"; readonly requestId: string; readonly error: unknown }
  | { readonly event: "store_failed"; readonly requestId: string; readonly error: unknown }
  | { readonly event: "sweep_failed"; readonly error: unknown }
  | { readonly event: "tls_replaced" }
  | { readonly event: "tls_unusable"; readonly error: unknown }
  | { readonly event: "stopping"; readonly signal: string }
  | { readonly event: "stopped" };

/** Where events go. It never throws. */
export type EventSink = (event: Event) => void;
