import { accepted, forged, refused, signedAs } from "../chains.ts";
import { withHeaders } from "../mint.ts";
import { GUIDE, type ReceiverRule } from "../rule.ts";

const PAGE = `${GUIDE}#signatures`;
const TESTED_BY = "accept what is genuine and refuse what is forged, so that a response proves something";
/** Of a signature in base64: enough to tell two apart, and far too little to trust. */
const SHORT = 8;

export const REFUSES_FORGERIES: ReceiverRule = {
  id: "refuses-forgeries",
  title: "It refuses a wrong signature with 4xx.",
  twins: "4xx",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    refused(mint, "signed with a secret that it does not know", () => forged(mint, mint.event())),
    refused(mint, "with the signature of another delivery", () =>
      withHeaders(mint.delivery(), { "webhook-signature": mint.delivery().headers["webhook-signature"] }),
    ),
    refused(mint, "with the beginning of its signature", () =>
      signedAs(mint, (right) => `v1,${right.slice(0, SHORT)}`),
    ),
    refused(mint, "with its signature in lower case", () =>
      signedAs(mint, (right) => `v1,${right.toLowerCase()}`),
    ),
    refused(mint, "with an empty signature", () => signedAs(mint, () => "v1,")),
  ],
};

export const REFUSES_CHANGED_BODIES: ReceiverRule = {
  id: "refuses-changed-bodies",
  title: "It refuses a body that was changed after it was signed.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    refused(mint, "whose status was changed", () => {
      const delivery = mint.delivery();
      return { ...delivery, body: delivery.body.replace('"available"', '"sold"') };
    }),
    refused(mint, "whose body has a space more", () => {
      const delivery = mint.delivery();
      return { ...delivery, body: `${delivery.body} ` };
    }),
    refused(mint, "whose body is empty", () => ({ ...mint.delivery(), body: "" })),
  ],
};

export const REFUSES_CHANGED_HEADERS: ReceiverRule = {
  id: "refuses-changed-headers",
  title: "It refuses an id or a timestamp that was not signed.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    refused(mint, "under another id", () => {
      const delivery = mint.delivery();
      const id = mint.idOf(delivery.told.event);
      return { ...withHeaders(delivery, { "webhook-id": id }), id };
    }),
    refused(mint, "with a later timestamp than was signed", () =>
      withHeaders(mint.delivery(undefined, { ahead: -60 }), {
        "webhook-timestamp": mint.delivery().headers["webhook-timestamp"],
      }),
    ),
  ],
};

export const REFUSES_MISSING_HEADERS: ReceiverRule = {
  id: "refuses-missing-headers",
  title: "It refuses a delivery without signature, id or timestamp.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    ...["webhook-signature", "webhook-id", "webhook-timestamp"].map((name) =>
      refused(mint, `without ${name}`, () => withHeaders(mint.delivery(), { [name]: undefined })),
    ),
    refused(mint, "with an empty webhook-signature", () => signedAs(mint, () => "")),
  ],
};

export const REFUSES_OTHER_VERSIONS: ReceiverRule = {
  id: "refuses-other-versions",
  title: "It refuses signatures of versions other than v1.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => [
    refused(mint, "with a signature v1a alone", () =>
      signedAs(mint, () => `v1a,${mint.chance.bytes(64).toString("base64")}`),
    ),
    refused(mint, "whose right signature claims to be v1a", () => signedAs(mint, (right) => `v1a,${right}`)),
    refused(mint, "whose right signature claims to be v2", () => signedAs(mint, (right) => `v2,${right}`)),
    refused(mint, "whose right signature names no version", () => signedAs(mint, (right) => right)),
  ],
};

export const SEVERAL_SIGNATURES: ReceiverRule = {
  id: "several-signatures",
  title: "It accepts one right signature among several.",
  testedBy: TESTED_BY,
  page: PAGE,
  chains: (mint) => {
    const other = () => mint.chance.bytes(32).toString("base64");
    const among = (what: string, signatures: (right: string) => string) =>
      accepted(
        mint,
        what,
        () => mint.event(),
        (event) => signedAs(mint, signatures, event),
      );
    return [
      among("whose right signature comes first of two", (right) => `v1,${right} v1,${other()}`),
      among("whose right signature comes last of two", (right) => `v1,${other()} v1,${right}`),
      among(
        "whose right signature comes after those of other versions",
        (right) => `v1a,${other()} v2,${other()} v1,${right}`,
      ),
    ];
  },
};

export const TWO_SECRETS: ReceiverRule = {
  id: "two-secrets",
  title: "It accepts either of two secrets while one replaces the other.",
  testedBy: "give the receiver and the judge two secrets, as during a rotation",
  page: `${GUIDE}#secrets`,
  chains: (mint) => {
    const { current, other } = mint;
    if (!other) return [];
    const signed = (what: string, ...secrets: (typeof current)[]) =>
      accepted(
        mint,
        what,
        () => mint.event(),
        (event) => mint.delivery(event, { secrets }),
      );
    return [
      signed("signed with both secrets", current, other),
      signed("signed with the first secret alone", current),
      signed("signed with the second secret alone", other),
    ];
  },
};

export const RETIRED_SECRET: ReceiverRule = {
  id: "retired-secret",
  title: "It refuses a secret that was replaced.",
  testedBy: "name a file with the old secret in --retired-secret-file, after a rotation",
  page: `${GUIDE}#secrets`,
  chains: (mint) => {
    const { retired } = mint;
    if (!retired) return [];
    return [
      refused(mint, "signed with the retired secret", () => mint.delivery(undefined, { secrets: [retired] })),
    ];
  },
};
