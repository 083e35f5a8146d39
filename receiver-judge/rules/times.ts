import { sign } from "../../relay/signature.ts";
import { refused } from "../chains.ts";
import type { Delivery } from "../delivery.ts";
import { type Mint, withHeaders } from "../mint.ts";
import { GUIDE, type ReceiverRule } from "../rule.ts";

const PAGE = `${GUIDE}#age`;
const TESTED_BY = "accept what is genuine";
/** Twice as much as Standard Webhooks 1.0 tolerates. */
const TOO_FAR_SECONDS = 600;
const DAY_SECONDS = 86_400;

export const REFUSES_OLD: ReceiverRule = {
  id: "refuses-old",
  title: "It refuses an old timestamp, with which a delivery could be replayed.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    aged(mint, "of ten minutes ago", -TOO_FAR_SECONDS),
    aged(mint, "of yesterday", -DAY_SECONDS),
  ],
};

export const REFUSES_FUTURE: ReceiverRule = {
  id: "refuses-future",
  title: "It refuses a timestamp that is far ahead.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    aged(mint, "of ten minutes from now", TOO_FAR_SECONDS),
    aged(mint, "of next year", 365 * DAY_SECONDS),
  ],
};

export const REFUSES_GARBAGE: ReceiverRule = {
  id: "refuses-garbage",
  title: "It refuses with 4xx what is no delivery at all, and a timestamp that is no number.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    ...["soon", "NaN"].map((timestamp) =>
      refused(mint, `with the timestamp ${timestamp}, signed`, () => timed(mint, timestamp)),
    ),
    refused(mint, "with signatures that are none", () =>
      withHeaders(mint.delivery(), { "webhook-signature": ", ,v1 v1,,  ;v1,%%%" }),
    ),
    refused(mint, "of bytes without sense and no webhook headers", () => ({
      ...withHeaders(mint.delivery(), {
        "content-type": "application/octet-stream",
        "webhook-id": undefined,
        "webhook-timestamp": undefined,
        "webhook-signature": undefined,
      }),
      body: `{"id":${mint.chance.bytes(64).toString("latin1")}`,
    })),
  ],
};

function aged(mint: Mint, what: string, ahead: number) {
  return refused(mint, what, () => mint.delivery(undefined, { ahead }));
}

/** Signed with a timestamp that is none: `now - NaN > 300` is false in most languages. */
function timed(mint: Mint, timestamp: string): Delivery {
  const delivery = mint.delivery();
  const { id, body } = delivery;
  const signature = sign({ id, timestamp, body }, [mint.current]);
  return withHeaders(delivery, { "webhook-timestamp": timestamp, "webhook-signature": signature });
}
