import type { Call, Client } from "./client.ts";
import { assert } from "./contract-violation.ts";
import { ALL_OPERATIONS, type OperationId, type Scope } from "./operations.ts";

/** What a service offers, and what a key may do there. */
export interface Access {
  readonly offered: ReadonlySet<Scope>;
  readonly held: ReadonlySet<Scope>;
  /** The optional operations that the service does not offer. */
  readonly absent: ReadonlySet<OperationId>;
}

/** A request, and the scope that it needs; `undefined` if any valid key may make it. */
interface ScopedCall {
  readonly scope: Scope | undefined;
  readonly call: Call;
}

/** Finds out what a key may do, with requests that change nothing; `undefined` if the service does not accept it. */
export async function accessOf(client: Client): Promise<Access | undefined> {
  const offered = new Set<Scope>();
  const held = new Set<Scope>();
  for (const { scope, probe } of ALL_OPERATIONS) {
    if (!probe || !scope) continue;
    const { status } = await client.send(probe);
    if (status === 401) return undefined;
    if (status === 404) continue;
    offered.add(scope);
    if (status !== 403) held.add(scope);
  }
  const absent = new Set<OperationId>();
  for (const { id, isOptional, sample } of ALL_OPERATIONS) {
    if (isOptional && (await client.send(sample)).status === 404) absent.add(id);
  }
  return { offered, held, absent };
}

/**
 * What the first key of a store may do.
 *
 * @throws BrokenPromise if the service does not accept it
 */
export async function firstAccess(client: Client): Promise<Access> {
  const access = await accessOf(client);
  assert(access !== undefined, "a first key that the service accepts", "401");
  return access;
}

/**
 * Why a service takes no orders from the first key of its store; `undefined` if it does.
 *
 * @throws BrokenPromise as `firstAccess` does
 */
export async function lackOfOrders(client: Client): Promise<string | undefined> {
  return lackOf(await firstAccess(client), ["orders:read", "orders:write"]);
}

/** A valid request for each operation that the service offers. */
export function offeredOperations({ offered, absent }: Access): readonly ScopedCall[] {
  return ALL_OPERATIONS.filter(
    ({ id, scope }) => !absent.has(id) && (scope === undefined || offered.has(scope)),
  ).map(({ scope, sample }) => ({ scope, call: sample }));
}

/** What a group of requests needs: a scope, or the operation that tells callers what their key is. */
export type Need = Scope | "getKey";

/** Why requests with some needs cannot be made; `undefined` if they can. */
export function lackOf({ offered, held, absent }: Access, all: readonly Need[]): string | undefined {
  if (all.includes("getKey") && absent.has("getKey"))
    return "the service does not offer getKey, as its STABILITY says";
  const needs = all.filter((need) => need !== "getKey");
  const unknown = needs.filter((scope) => !offered.has(scope));
  if (unknown.length > 0)
    return `the service offers no operation with the scope ${unknown.join(" or ")}, as its STABILITY says`;
  const lacking = needs.filter((scope) => !held.has(scope));
  return lacking.length > 0
    ? `the key lacks the scope ${lacking.join(" and ")}: use a key that has it`
    : undefined;
}
