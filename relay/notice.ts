import type { Message } from "./message.ts";

/** What a relay reports while it works. The command makes log lines and metrics of it. */
export type Notice =
  /** It reads the feed; `after` is the last event that was delivered before. */
  | {
      readonly notice: "ready";
      readonly from: string;
      readonly to: string;
      readonly after: bigint | undefined;
    }
  | { readonly notice: "metrics_listening"; readonly address: string }
  | {
      readonly notice: "delivered";
      readonly message: Message;
      readonly attempts: number;
      readonly status: number;
      /** How long the last attempt took. */
      readonly milliseconds: number;
    }
  | {
      readonly notice: "attempt_failed";
      readonly message: Message;
      readonly attempts: number;
      readonly reason: string;
      readonly milliseconds: number;
      /** Until the next attempt. */
      readonly againInMs: number;
    }
  /** An event of a type that is not delivered. */
  | { readonly notice: "passed_over"; readonly id: bigint }
  /** The service cannot be reached; once until it can. */
  | { readonly notice: "service_away"; readonly error: Error }
  | { readonly notice: "service_back" }
  /** Events were lost to this relay, which goes on after the latest one, as it was told to. */
  | { readonly notice: "started_anew"; readonly error: Error }
  | { readonly notice: "position_unsaved"; readonly error: Error }
  | { readonly notice: "stopping"; readonly signal: string }
  | { readonly notice: "stopped" };

export type NoticeSink = (notice: Notice) => void;
