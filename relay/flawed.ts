import { randomBytes } from "node:crypto";
import type { Secret } from "./secrets.ts";
import { sign } from "./signature.ts";
import type { Wire } from "./wire.ts";

/** What can be wrong with a delivery that a receiver must refuse. */
export const FLAWS = ["wrong_signature", "old_signature", "old_timestamp", "changed_body"] as const;

export type Flaw = (typeof FLAWS)[number];

interface Keys {
  /** Those by which the receiver knows a true delivery. */
  readonly secrets: readonly Secret[];
  /** The secret that was replaced, which the receiver knows no more. */
  readonly formerSecret: Secret;
}

const DAY_SECONDS = 86_400;

/** Total: a new flaw does not compile until it is made here. */
const MADE: { readonly [Name in Flaw]: (wire: Wire, keys: Keys) => Wire } = {
  /** By a key that nobody has. */
  wrong_signature: (wire) => signed(wire, timestampOf(wire), [randomBytes(32)]),
  old_signature: (wire, { formerSecret }) => signed(wire, timestampOf(wire), [formerSecret]),
  /** Of yesterday, and signed as such: somebody has kept the delivery, and sends it again. */
  old_timestamp: (wire, { secrets }) => signed(wire, timestampOf(wire) - DAY_SECONDS, secrets),
  /** One byte more than was signed, which leaves the JSON as it was. */
  changed_body: ({ headers, body }) => ({ headers, body: `${body} ` }),
};

/**
 * A delivery with a flaw in it: `flawed(wireOf(message, …), "old_timestamp", { secrets, formerSecret })`. It differs from the
 * true one in nothing else. `Target.post` sends either, and `cutShort` and `trickled` break how the body arrives.
 */
export function flawed(wire: Wire, flaw: Flaw, keys: Keys): Wire {
  return MADE[flaw](wire, keys);
}

function timestampOf({ headers }: Wire): number {
  return Number(headers["webhook-timestamp"]);
}

function signed({ headers, body }: Wire, timestamp: number, secrets: readonly Secret[]): Wire {
  const id = headers["webhook-id"] as string;
  const signature = sign({ id, timestamp, body }, secrets);
  return {
    headers: { ...headers, "webhook-timestamp": `${timestamp}`, "webhook-signature": signature },
    body,
  };
}
