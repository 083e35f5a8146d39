import type { Chain, Delivery, Planned } from "./delivery.ts";
import { type Mint, type Minted, withHeaders } from "./mint.ts";

/** A delivery that a good receiver accepts. */
export function right(what: string, delivery: Delivery, isTwin = false): Planned {
  return { what, delivery, due: "2xx", acts: true, isTwin };
}

/** A delivery that a good receiver refuses. */
export function wrong(what: string, delivery: Delivery, isTwin = false): Planned {
  return { what, delivery, due: "4xx", acts: false, isTwin };
}

/** What must be refused, and in an order that chance decides the same thing as it would be right. */
export function refused(mint: Mint, what: string, make: () => Delivery): Chain {
  return function* () {
    const both = [() => wrong(what, make()), () => right("that is genuine", mint.delivery(), true)];
    yield* shuffledPair(mint, both);
  };
}

/** What must be accepted, and in an order that chance decides its forgery. */
export function accepted(
  mint: Mint,
  what: string,
  make: () => Minted,
  deliver = (event: Minted): Delivery => mint.delivery(event),
  work: Pick<Planned, "acts" | "isAwaited"> = { acts: true },
): Chain {
  return function* () {
    const both = [
      () => ({ ...right(what, deliver(make())), ...work }),
      () => wrong(`${what}, but signed with another secret`, forged(mint, make()), true),
    ];
    yield* shuffledPair(mint, both);
  };
}

/** A delivery that is right but for the secret. */
export function forged(mint: Mint, event: Minted): Delivery {
  return mint.delivery(event, { secrets: [mint.secret()] });
}

/** A delivery whose signatures are others; `replaced` gets the right one, without its `v1,`. */
export function signedAs(mint: Mint, replaced: (signature: string) => string, event?: Minted): Delivery {
  const delivery = mint.delivery(event);
  const signature = (delivery.headers["webhook-signature"] as string).slice("v1,".length);
  return withHeaders(delivery, { "webhook-signature": replaced(signature) });
}

function* shuffledPair(mint: Mint, both: readonly (() => Planned)[]): Generator<Planned, void> {
  const first = mint.chance.below(2);
  for (const at of [first, 1 - first]) yield (both[at] as () => Planned)();
}
