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

/** A text that an animal may have besides. */
interface OptionalText {
  isValid(value: string): boolean;
  /** Values that come back as they were sent. */
  readonly accepted: readonly string[];
  /** JSON values that are refused. */
  readonly refused: readonly string[];
}

type Later = Exclude<keyof Content, "name" | "categoryId" | "status">;

const LATER: Readonly<Record<Later, OptionalText>> = {};

/** The members that an animal may lack, by their names. What reads, writes, compares or invents animals follows from them. */
export const OPTIONAL_TEXTS: readonly (readonly [member: Later, OptionalText])[] = Object.entries(
  LATER,
) as never;

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
 * Reads an animal of a response: exactly these members, of these types.
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
    Object.keys(others).every((member) => isOptional(member, others[member]));
  if (!isWhole) throw new ContractViolation(`no animal: ${Bun.inspect(value)}`);
  return { id, name, categoryId, status: status as Status, ...others };
}

/** Whether a value is a valid one of a member that an animal may lack. */
export function isOptional(member: string, value: unknown): boolean {
  const optional = OPTIONAL_TEXTS.find(([each]) => each === member)?.[1];
  return typeof value === "string" && (optional?.isValid(value) ?? false);
}

/** Whether two animals agree in everything but their ids. */
export function isSame(a: Content, b: Content): boolean {
  const isSameLater = OPTIONAL_TEXTS.every(([member]) => a[member] === b[member]);
  return isSameLater && a.name === b.name && a.categoryId === b.categoryId && a.status === b.status;
}

/** An animal for people, with every character of its name visible. */
export function show(content: Content): string {
  const { name, categoryId, status } = content;
  const later = optionalsOf(content).map(([member, value]) => `,"${member}":${escapeAll(value)}`);
  return `{"name":${escapeAll(name)},"categoryId":${categoryId},"status":"${status}"${later.join("")}}`;
}

/** The members that an animal has though it may lack them. */
export function optionalsOf(content: Content): (readonly [member: string, value: string])[] {
  const values: Readonly<Record<string, string | undefined>> = { ...content } as never;
  return OPTIONAL_TEXTS.flatMap(([member]) => {
    const value = values[member];
    return value === undefined ? [] : [[member, value] as const];
  });
}

function escapeAll(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
