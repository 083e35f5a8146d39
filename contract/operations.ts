import { type Call, methodOf } from "./client.ts";

interface ContractOperation {
  readonly method: "GET" | "POST" | "PATCH";
  /** Below the base address. A parameter stands in braces. */
  readonly path: string;
  /** `undefined` if any valid key may ask. */
  readonly scope: string | undefined;
  /** A valid request. It needs no stock: an unknown id is refused after everything that all operations refuse. */
  readonly sample: Call;
  /** A request that changes nothing, by which a key shows whether it has the scope; one for each scope. */
  readonly probe?: Call;
  /** The responses that the contract requires, whatever the service's own document says. */
  readonly binding?: readonly number[];
  /** The path of what a create makes, which its `Location` names. */
  readonly creates?: RegExp;
  readonly isDeprecated?: true;
  /** Whether a service may lack it though it offers the scope, as its `STABILITY` says. */
  readonly isOptional?: true;
}

/** The operations of the contract. A service offers some or all of them. */
const OPERATIONS = {
  listPets: {
    method: "GET",
    path: "/pets",
    scope: "pets:read",
    sample: { path: "/pets" },
    probe: { path: "/pets?limit=1" },
    binding: [200, 401],
  },
  createPet: {
    method: "POST",
    path: "/pets",
    scope: "pets:write",
    sample: { path: "/pets", body: '{"name":"from verify","categoryId":1}' },
    probe: { path: "/pets", body: "" },
    binding: [201, 400, 401],
    creates: /\/pets\/[1-9][0-9]*$/,
  },
  getPet: {
    method: "GET",
    path: "/pets/{petId}",
    scope: "pets:read",
    sample: { path: "/pets/1" },
    binding: [200, 401, 404],
    isDeprecated: true,
  },
  listOrders: {
    method: "GET",
    path: "/orders",
    scope: "orders:read",
    sample: { path: "/orders" },
    probe: { path: "/orders?limit=1" },
  },
  placeOrder: {
    method: "POST",
    path: "/orders",
    scope: "orders:write",
    sample: { path: "/orders", body: '{"petId":1}' },
    probe: { path: "/orders", body: "" },
    creates: /\/orders\/[1-9][0-9]*$/,
  },
  getOrder: {
    method: "GET",
    path: "/orders/{orderId}",
    scope: "orders:read",
    sample: { path: "/orders/1" },
  },
  updateOrder: {
    method: "PATCH",
    path: "/orders/{orderId}",
    scope: "orders:write",
    sample: { method: "PATCH", path: "/orders/1", body: '{"status":"cancelled"}' },
  },
  getKey: {
    method: "GET",
    path: "/key",
    scope: undefined,
    sample: { path: "/key" },
    isOptional: true,
  },
  listEvents: {
    method: "GET",
    path: "/events",
    scope: "events:read",
    sample: { path: "/events" },
    probe: { path: "/events?limit=1" },
  },
} as const satisfies Readonly<Record<string, ContractOperation>>;

export type OperationId = keyof typeof OPERATIONS;
export type Scope = NonNullable<(typeof OPERATIONS)[OperationId]["scope"]>;

/** Each operation with its id. */
export const ALL_OPERATIONS = (Object.entries(OPERATIONS) as [OperationId, ContractOperation][]).map(
  ([id, operation]) => ({
    ...operation,
    id,
    scope: operation.scope as Scope | undefined,
    target: targetOf(operation),
  }),
);

/** The operation that a request is for, if any. `HEAD` works wherever `GET` does. */
export function operationOf(call: Call): OperationId | undefined {
  if (call.root) return undefined;
  const verb = methodOf(call) === "HEAD" ? "GET" : methodOf(call);
  // `%70` is the letter p, which a client may escape.
  const target = call.path.split("?")[0]?.replace(/^\/%70/, "/p") ?? "";
  return ALL_OPERATIONS.find((operation) => operation.method === verb && operation.target.test(target))?.id;
}

function targetOf({ path }: ContractOperation): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
