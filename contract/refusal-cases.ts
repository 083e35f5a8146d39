import { offeredOperations } from "./access.ts";
import { BROKEN_ESCAPES } from "./bad-requests.ts";
import { assert } from "./contract-violation.ts";
import type { Cases, ContractSession, Group } from "./session.ts";

export const refusals: Group = {
  name: "refuse",
  promise:
    "Requests without a valid key or scope, and requests for unknown paths, are refused as the contract says.",
  needs: [],
  cases: {
    "a key that is not valid gets the same 401 everywhere": refuseKeys,
    "a key without the scope gets 403": refuseScopes,
    "a broken escape in the query gets 400 everywhere": refuseEscapes,
    "an unknown path gets 404, and a method that the path lacks gets 405": (session) =>
      session.askAll(nowhere(session.access.offered.has("orders:read"))),
    "the public pages need no key": answerPages,
  },
};

async function refuseKeys(session: ContractSession): Promise<void> {
  const { key } = session.client;
  const last = key.endsWith("A") ? "B" : "A";
  const others = [session.others.revoked, session.others.expired].filter((other) => other !== undefined);
  const authorizations = [
    ...["", "Bearer", `Basic ${btoa(`${key}:`)}`, key, `Bearer ${key} ${key}`, `Bearer "${key}"`],
    ...[`${key.slice(0, -1)}${last}`, "x".repeat(4000), ...others].map((other) => `Bearer ${other}`),
  ];
  const headers = [{}, ...authorizations.map((authorization) => ({ Authorization: authorization }))];
  for (const { call } of offeredOperations(session.access)) {
    const bodies = new Set<string>();
    for (const own of headers) {
      const { body } = await session.ask({ ...call, key: null, headers: own }, "401 unauthorized");
      bodies.add(body.toString());
    }
    const expected = "the very same response for every key that is not valid";
    assert(bodies.size === 1, expected, `${bodies.size} different ones`);
  }
  // Authentication comes before every other check.
  const wrong = [{ path: "/nothing" }, { path: "/pets/%zz" }, { path: "/pets", method: "DELETE" }];
  await session.askAll([
    { outcome: "401 unauthorized", calls: wrong.map((call) => ({ ...call, key: null })) },
  ]);
  if (session.access.held.has("pets:read"))
    await session.ask(
      { path: "/pets?limit=1", key: null, headers: { Authorization: `bEARER  ${key}` } },
      "200",
    );
}

async function refuseEscapes(session: ContractSession): Promise<void> {
  for (const { scope, call } of offeredOperations(session.access)) {
    if (scope !== undefined && !session.access.held.has(scope)) continue;
    const calls = [...BROKEN_ESCAPES.map((broken) => `x=${broken}`), "%zz=x", "limit=%c0%b1"].map(
      (query) => ({
        ...call,
        path: `${call.path}?${query}`,
      }),
    );
    await session.askAll([{ outcome: "400 malformed_escape", says: "percent escape", calls }]);
  }
}

/** Calls each operation with a key that has every other scope. */
async function refuseScopes(session: ContractSession): Promise<void> {
  const { access, others, client } = session;
  for (const { scope, call } of offeredOperations(access)) {
    if (scope === undefined) continue;
    const key = access.held.has(scope) ? others.without?.[scope] : client.key;
    if (key !== undefined) await session.ask({ ...call, key }, "403 insufficient_scope", scope);
  }
}

/** Requests for paths that do not exist, and for paths that do not have the method. */
function nowhere(hasOrders: boolean): readonly Cases[] {
  const paths = ["", "/", "/pets/", "/Pets", "/pets/1/2", "/nothing"];
  const wrong = ["PUT /pets", "DELETE /pets", "PATCH /pets/1", "POST /pets/1", "OPTIONS /pets"];
  const wrongForOrders = [
    "PATCH /orders",
    "DELETE /orders",
    "PUT /orders/1",
    "POST /orders/1",
    "DELETE /orders/1",
  ];
  const orderPaths = hasOrders ? ["/orders/", "/Orders", "/orders/1/2"] : ["/orders", "/orders/1"];
  return [
    { outcome: "404 path_not_found", calls: [...paths, ...orderPaths] },
    {
      outcome: "405 method_not_allowed",
      calls: [...wrong, ...(hasOrders ? wrongForOrders : [])].map((line) => {
        const [method = "", path = ""] = line.split(" ");
        return { method, path };
      }),
    },
    { outcome: "404", calls: [{ path: "/nothing", headers: { "X-Request-Id": "verify-1" } }] },
  ];
}

/** Asks for the pages that need no key; a proxy may hide them. */
async function answerPages(session: ContractSession): Promise<void> {
  const page = (path: string) => ({ path, root: true, key: null });
  const { status } = await session.client.send(page("/livez"));
  if (status !== 200) return;
  await session.askAll([
    { outcome: "200", calls: ["/livez", "/readyz", "/openapi.json"].map(page) },
    { outcome: "404 path_not_found", calls: [page("/nothing")] },
  ]);
}
