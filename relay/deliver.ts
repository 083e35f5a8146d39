import { sleep } from "../client/within.ts";
import { backOff, GIVE_UP_MS } from "./back-off.ts";
import { RelayEnd } from "./end.ts";
import type { Message } from "./message.ts";
import type { NoticeSink } from "./notice.ts";
import type { Secret } from "./secrets.ts";
import type { Outcome, Target } from "./target.ts";
import { wireOf } from "./wire.ts";

/** Time and chance, which tests decide. */
interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1, exclusive. */
  random(): number;
}

export const SYSTEM_CLOCK: Clock = { now: Date.now, sleep, random: Math.random };

export interface Delivery {
  readonly target: Pick<Target, "post">;
  readonly secrets: readonly Secret[];
  /** `User-Agent`. */
  readonly agent: string;
  readonly notify: NoticeSink;
  readonly clock: Clock;
  /** How long to wait before the next attempt; left out: as long as a receiver may be down. */
  readonly backOff?: typeof backOff;
  /** Ends waiting at once; an attempt in progress goes on. */
  readonly stop: AbortSignal;
  /** Ends an attempt too. */
  readonly cut: AbortSignal;
}

/**
 * Posts a message until the target accepts it.
 *
 * @throws RelayEnd if the target wants no more, or has accepted nothing for three days
 * @throws the reason of a signal that aborts
 */
export async function deliver(message: Message, delivery: Delivery): Promise<void> {
  const { clock, notify, stop } = delivery;
  const giveUpAt = clock.now() + GIVE_UP_MS;
  for (let attempts = 1; ; attempts++) {
    stop.throwIfAborted();
    const begun = clock.now();
    const outcome = await attempt(message, delivery);
    const milliseconds = clock.now() - begun;
    if (outcome.kind === "delivered") {
      notify({ notice: "delivered", message, attempts, status: outcome.status, milliseconds });
      return;
    }
    const what = `event ${message.event.id} (${message.id})`;
    if (outcome.kind === "gone") {
      throw new RelayEnd(
        "gone",
        `the target answered 410 to ${what}: it wants no more events. It was not delivered.`,
      );
    }
    const leftMs = giveUpAt - clock.now();
    if (leftMs <= 0) {
      const last = `the last of ${attempts} attempts: ${outcome.reason}`;
      throw new RelayEnd("undelivered", `${what} was not delivered within three days; ${last}.`);
    }
    const againInMs = (delivery.backOff ?? backOff)(attempts, outcome.retryAfterMs, clock.random(), leftMs);
    notify({ notice: "attempt_failed", message, attempts, reason: outcome.reason, milliseconds, againInMs });
    await clock.sleep(againInMs, stop);
  }
}

function attempt(message: Message, { target, secrets, agent, clock, cut }: Delivery): Promise<Outcome> {
  return target.post(wireOf(message, { secrets, now: clock.now(), agent }), cut);
}
