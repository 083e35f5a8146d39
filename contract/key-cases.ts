import { askForCopies } from "./bad-requests.ts";
import { callerKeyOf } from "./caller-key.ts";
import { assert, assertSame } from "./contract-violation.ts";
import type { ContractSession, Group } from "./session.ts";

/** Characters of a key's random part: a shorter part may be in a name by chance. */
const TELLING = 8;

export const keys: Group = {
  name: "key",
  promise: "A caller learns what its own key may do and when it ends, and nothing of any key's secret.",
  needs: ["getKey"],
  cases: {
    "a key is told its scopes, its environment and its end": async (session) => {
      await expectOwn(session, session.client.key, session.access.held);
    },
    "no key is told of another, whatever was asked before": tellEachItsOwn,
    "a copy that is still current is not sent again": (session) => askForCopies(session, "/key"),
    "nothing else is at this address": (session) =>
      session.askAll([
        { outcome: "404 path_not_found", calls: ["/key/", "/key/1", "/Key", "/keys"] },
        {
          outcome: "405 method_not_allowed",
          calls: ["POST", "PUT", "PATCH", "DELETE"].map((method) => ({ method, path: "/key" })),
        },
        { outcome: "200", calls: ["/key?x=1&name=other", { method: "HEAD", path: "/key" }] },
      ]),
  },
};

/** Asks what a key is, and compares it with what the key may do. */
async function expectOwn(
  session: ContractSession,
  key: string,
  held: ReadonlySet<string>,
  headers: Record<string, string> = {},
): Promise<string> {
  const call = { path: "/key", key, headers };
  const { item, headers: answered, request } = await session.read(call, callerKeyOf);
  const environment = key.startsWith("as_live_") ? "production" : "staging";
  assertSame(item.environment, environment, request);
  // A scope of operations that are not offered here is told all the same.
  const known = item.scopes.filter((scope) => session.access.offered.has(scope as never));
  assertSame(known.toSorted().join(" "), [...held].sort().join(" "), request);
  const isValid =
    item.expiresAt === null || Date.parse(item.expiresAt) > Date.parse(answered.get("date") ?? "");
  assert(isValid, "a valid key's end, which is yet to come", `${item.expiresAt}`, request);
  const text = JSON.stringify(item);
  for (let at = key.lastIndexOf("_") + 1; at + TELLING <= key.length; at++)
    assert(!text.includes(key.slice(at, at + TELLING)), "nothing of the key itself", text, request);
  return answered.get("etag") ?? "";
}

/** Keys ask by turns, with the entity tag of the one before. */
async function tellEachItsOwn(session: ContractSession): Promise<void> {
  const { held, offered } = session.access;
  const tag = await expectOwn(session, session.client.key, held);
  for (const [scope, key] of Object.entries(session.others.without ?? {})) {
    const others = new Set([...offered].filter((each) => each !== scope));
    for (let count = 0; count < 2; count++) {
      const other = await expectOwn(session, key, others, { "If-None-Match": tag });
      await expectOwn(session, session.client.key, held, { "If-None-Match": other });
    }
  }
}
