import { assert } from "../contract-violation.ts";
import { offeredOperations } from "./access.ts";
import type { ContractSession, Group } from "./session.ts";

export const refusals: Group = {
  name: "refuse",
  promise:
    "Requests without a valid key or scope, and requests for unknown paths, are refused as the contract says.",
  needs: [],
  async run(session) {
    await refuseKeys(session);
    await refuseScopes(session);
    await refusePaths(session);
    await answerPages(session);
  },
};

async function refuseKeys(session: ContractSession): Promise<void> {
  const { key } = session.client;
  const { revoked, expired } = session.others;
  const last = key.endsWith("A") ? "B" : "A";
  const headers = [
    undefined,
    "",
    "Bearer",
    `Basic ${btoa(`${key}:`)}`,
    key,
    `Bearer ${key} ${key}`,
    `Bearer "${key}"`,
    `Bearer ${key.slice(0, -1)}${last}`,
    `Bearer ${"x".repeat(4000)}`,
    ...[revoked, expired].flatMap((other) => (other === undefined ? [] : [`Bearer ${other}`])),
  ];
  for (const { call } of offeredOperations(session.access)) {
    const bodies = new Set<string>();
    for (const authorization of headers) {
      const own = authorization === undefined ? {} : { Authorization: authorization };
      const refused = { ...call, key: null, headers: own };
      bodies.add((await session.ask(refused, { status: 401, code: "unauthorized" })).body.toString());
    }
    assert(
      bodies.size === 1,
      "the very same response for every key that is not valid",
      `${bodies.size} different ones`,
    );
  }
  // Authentication comes before every other check.
  for (const call of [{ path: "/nothing" }, { path: "/pets/%zz" }, { path: "/pets", method: "DELETE" }])
    await session.ask({ ...call, key: null }, { status: 401, code: "unauthorized" });
  if (session.access.held.has("pets:read"))
    await session.ask(
      { path: "/pets?limit=1", key: null, headers: { Authorization: `bEARER  ${key}` } },
      { status: 200 },
    );
}

/** Calls each operation with a key that has every other scope. */
async function refuseScopes(session: ContractSession): Promise<void> {
  const { access, others, client } = session;
  for (const { scope, call } of offeredOperations(access)) {
    const key = access.held.has(scope) ? others.without?.[scope] : client.key;
    if (key !== undefined)
      await session.ask({ ...call, key }, { status: 403, code: "insufficient_scope", says: scope });
  }
}

async function refusePaths(session: ContractSession): Promise<void> {
  const hasOrders = session.access.offered.has("orders:read");
  const nowhere = hasOrders ? ["/orders/", "/Orders", "/orders/1/2"] : ["/orders", "/orders/1"];
  for (const path of ["", "/", "/pets/", "/Pets", "/pets/1/2", "/nothing", ...nowhere])
    await session.ask({ path }, { status: 404, code: "path_not_found" });
  const wrong: readonly (readonly [method: string, path: string])[] = [
    ["PUT", "/pets"],
    ["DELETE", "/pets"],
    ["PATCH", "/pets/1"],
    ["POST", "/pets/1"],
    ["OPTIONS", "/pets"],
  ];
  const wrongForOrders: typeof wrong = [
    ["PATCH", "/orders"],
    ["DELETE", "/orders"],
    ["PUT", "/orders/1"],
    ["POST", "/orders/1"],
    ["DELETE", "/orders/1"],
  ];
  for (const [method, path] of hasOrders ? [...wrong, ...wrongForOrders] : wrong)
    await session.ask({ method, path }, { status: 405, code: "method_not_allowed" });
  await session.ask({ path: "/nothing", headers: { "X-Request-Id": "verify-1" } }, { status: 404 });
}

/** Asks for the pages that need no key; a proxy may hide them. */
async function answerPages(session: ContractSession): Promise<void> {
  const { status } = await session.client.send({ path: "/livez", root: true, key: null });
  if (status !== 200) return;
  for (const path of ["/livez", "/readyz", "/openapi.json"])
    await session.ask({ path, root: true, key: null }, { status: 200 });
  await session.ask({ path: "/nothing", root: true, key: null }, { status: 404, code: "path_not_found" });
}
