import { right } from "../chains.ts";
import { described, type Planned, type Sent, wasLate } from "../delivery.ts";
import { GUIDE, type ReceiverRule } from "../rule.ts";

const TESTED_BY = "accept what is genuine and refuse what is forged, so that a response proves something";

export const IN_TIME: ReceiverRule = {
  id: "in-time",
  title: "It responds within the time that a relay waits.",
  testedBy: TESTED_BY,
  page: `${GUIDE}#acting-later`,
  chains: () => [],
  observe: ({ all }) => ({ isTested: true, faults: all.filter(wasLate).map(described) }),
};

export const NO_REDIRECTS: ReceiverRule = {
  id: "no-redirects",
  title: "It redirects no delivery: a relay follows none.",
  testedBy: TESTED_BY,
  page: `${GUIDE}#responses`,
  chains: () => [],
  observe: ({ all }) => ({ isTested: true, faults: all.filter(isRedirect).map(described) }),
};

export const SURVIVES_BROKEN_BODIES: ReceiverRule = {
  id: "survives-broken-bodies",
  title: "It accepts the next delivery after a body that is cut, slow or no JSON.",
  testedBy: "accept what is genuine",
  page: `${GUIDE}#responses`,
  chains: (mint) => [
    function* () {
      const any = (what: string, planned: Planned["delivery"]): Planned => ({
        ...right(what, planned),
        due: "anything",
        acts: false,
      });
      yield any("whose body is cut in the middle", { ...mint.delivery(), arrives: "cut" });
      yield right("after a cut body", mint.delivery());
      yield any("whose body arrives slowly", { ...mint.delivery(), arrives: "slowly" });
      yield right("after a slow body", mint.delivery());
      // It may keep it first and read it later, so either response is right.
      yield any("that is signed and no JSON", mint.delivery({ ...mint.event(), body: '{"id":' }));
      yield right("after a body that was no JSON", mint.delivery());
    },
  ],
};

function isRedirect({ response }: Sent): boolean {
  return response.kind === "response" && response.status >= 300 && response.status < 400;
}
