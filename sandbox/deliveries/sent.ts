import { cutShort, trickled } from "../../relay/broken-body.ts";
import { type Flaw, flawed } from "../../relay/flawed.ts";
import type { Secret } from "../../relay/secrets.ts";
import type { Posted } from "../../relay/target.ts";
import type { Wire } from "../../relay/wire.ts";
import type { DeliveryFault, Fault } from "../faults.ts";

interface How {
  /** Those by which the receiver knows a true delivery. */
  readonly secrets: readonly Secret[];
  readonly formerSecret: Secret;
  readonly delayMs: number;
}

type Send = (wire: Wire, how: How) => Posted;

/** These faults lie in when the delivery leaves, or how often. */
const whole: Send = (wire) => wire;
const withFlaw =
  (flaw: Flaw): Send =>
  (wire, how) =>
    flawed(wire, flaw, how);

/** Total: a new fault of deliveries does not compile until it has a row here. */
const SENT: { readonly [Name in DeliveryFault]: Send } = {
  delivery_twice: whole,
  delivery_late: whole,
  delivery_swapped: whole,
  delivery_wrong_signature: withFlaw("wrong_signature"),
  delivery_old_signature: withFlaw("old_signature"),
  delivery_old_timestamp: withFlaw("old_timestamp"),
  delivery_changed_body: withFlaw("changed_body"),
  delivery_cut: ({ headers, body }) => ({ headers, body: cutShort(body) }),
  delivery_slow: ({ headers, body }, { delayMs }) => ({ headers, body: trickled(body, delayMs) }),
};

/** A delivery as it leaves with a fault; the true one without. */
export function sent(
  wire: Wire,
  fault: Fault<DeliveryFault> | undefined,
  keys: Omit<How, "delayMs">,
): Posted {
  return fault ? SENT[fault.fault](wire, { ...keys, delayMs: fault.delayMs }) : wire;
}
