import { accepted } from "../chains.ts";
import type { Mint, Minted } from "../mint.ts";
import { GUIDE, type Observation, type ReceiverRule } from "../rule.ts";

const TESTED_BY = "accept what is genuine and refuse what is forged, so that a response proves something";
/** From here on a double holds each 1024th integer, and no odd one. */
const LONG = 2n ** 62n;

export const ACCEPTS_GENUINE: ReceiverRule = {
  id: "accepts-genuine",
  title: "It accepts a genuine delivery with 2xx.",
  twins: "2xx",
  testedBy: TESTED_BY,
  page: `${GUIDE}#responses`,
  chains: (mint) => [1, 2, 3].map(() => accepted(mint, "that is genuine", () => mint.event())),
};

export const RAW_BODIES: ReceiverRule = {
  id: "raw-bodies",
  title: "It checks the bytes of the body as they came.",
  testedBy: TESTED_BY,
  page: `${GUIDE}#signatures`,
  chains: (mint) => [
    written(mint, "with white space in its body", (body) =>
      body.replaceAll(",", " ,\n  ").replaceAll(":{", " :\t{ "),
    ),
    written(mint, "with escapes in its body", (body) =>
      body.replace('"available"', '"av\\u0061il\\u0061ble"'),
    ),
    written(mint, "whose body ends with a line break", (body) => `${body}\r\n`),
    written(mint, "whose members stand in another order", (body) =>
      body.replace(/^\{("id":\d+),(.*)\}$/, "{$2,$1}"),
    ),
  ],
};

export const UNKNOWN_TYPES: ReceiverRule = {
  id: "unknown-types",
  title: "It accepts events of types that it does not know.",
  testedBy: TESTED_BY,
  page: `${GUIDE}#what-may-be-added`,
  chains: (mint) => [
    accepted(mint, "of a type that is new", () => mint.event({ type: "animal.vaccinated" }), undefined, {
      acts: false,
    }),
  ],
};

export const UNKNOWN_MEMBERS: ReceiverRule = {
  id: "unknown-members",
  title: "It accepts members that it does not know.",
  testedBy: TESTED_BY,
  page: `${GUIDE}#what-may-be-added`,
  chains: (mint) => [
    accepted(mint, "with new members", () =>
      mint.event({ more: ',"cause":{"by":["a","b"]}', moreOfAnimal: ',"weight":12.5,"tags":null' }),
    ),
  ],
};

export const EXACT_INTEGERS: ReceiverRule = {
  id: "exact-integers",
  title: "It keeps integers of 64 bits exact.",
  testedBy: "accept events about animals with long ids, and show them with --probe or --sandbox",
  page: `${GUIDE}#integers`,
  chains: (mint) =>
    [1, 2].map(() =>
      accepted(
        mint,
        "about an animal with a long id",
        () => mint.event({ animal: LONG + BigInt(mint.chance.below(2 ** 31)) * 2n + 1n }),
        undefined,
        // A receiver that rounds has acted on another animal, as far as a sandbox can tell: it is blamed here alone.
        { acts: false, isAwaited: true },
      ),
    ),
  observe({ own, acts }): Observation {
    const exact = own.filter(({ isTwin }) => !isTwin).map(({ delivery }) => delivery.told.animal);
    if (!acts?.animals) return { isTested: false, faults: [] };
    const held = new Set(acts.animals);
    const faults = exact
      .filter((id) => !held.has(`${id}`))
      .flatMap((id) =>
        [...held]
          .filter((other) => Number(other) === Number(id))
          .map((other) => `it holds animal ${other}, which is ${id} rounded`),
      );
    return { isTested: exact.every((id) => held.has(`${id}`)), faults };
  },
};

function written(mint: Mint, what: string, rewrite: (body: string) => string) {
  return accepted(mint, what, (): Minted => {
    const event = mint.event();
    return { ...event, body: rewrite(event.body) };
  });
}
