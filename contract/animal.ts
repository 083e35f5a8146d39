// Animals by the contract, read by other means than the service uses.
import { ContractViolation } from "./contract-violation.ts";

export const STATUSES = ["available", "pending", "sold"] as const;
export type Status = (typeof STATUSES)[number];

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);

/** The content of an animal that is to be stored. */
export interface Content {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: Status;
}

export interface Animal extends Content {
  readonly id: bigint;
}

/**
 * Reads JSON with exact integers: numbers written as integers become bigints.
 *
 * @throws ContractViolation
 */
export function parseExact(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return JSON.parse(text, (_, value, context?: { source: string }) =>
      typeof value === "number" && /^-?[0-9]+$/.test(context?.source ?? "")
        ? BigInt(context?.source ?? 0)
        : value,
    );
  } catch (error) {
    throw new ContractViolation(`it is not JSON: ${error}`);
  }
}

/**
 * Reads an animal of an answer: exactly these members, of these types.
 *
 * @throws ContractViolation
 */
export function animalOf(value: unknown): Animal {
  const { id, name, categoryId, status, ...others } = (value ?? {}) as Record<string, unknown>;
  const isWhole =
    typeof id === "bigint" &&
    id > 0n &&
    id <= INT64_MAX &&
    typeof name === "string" &&
    typeof categoryId === "bigint" &&
    STATUSES.includes(status as Status) &&
    Object.keys(others).length === 0;
  if (!isWhole) throw new ContractViolation(`no animal: ${Bun.inspect(value)}`);
  return { id, name, categoryId, status: status as Status };
}

/** Whether two animals agree in everything but their ids. */
export function isSame(a: Content, b: Content): boolean {
  return a.name === b.name && a.categoryId === b.categoryId && a.status === b.status;
}

/** An animal for people, with every character of its name visible. */
export function show({ name, categoryId, status }: Content): string {
  return `{"name":${escapeAll(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

function escapeAll(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
