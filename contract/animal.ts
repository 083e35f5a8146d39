// Animals by the contract, read by other means than the service uses.
import { ContractViolation } from "./contract-violation.ts";
import {
  aTextOfEach,
  escapeAll,
  isOptionalText,
  type OptionalTexts,
  type RulesOf,
  textsOf,
} from "./optional-text.ts";

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

type Later = Exclude<keyof Content, "name" | "categoryId" | "status">;

const LATER: RulesOf<Content, Later> = {};

/** The members that an animal may lack, by their names. What reads, writes, compares or invents animals follows from them. */
export const OPTIONAL_TEXTS: OptionalTexts<Later> = Object.entries(LATER) as never;

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
    Object.keys(others).every((member) => isOptionalText(OPTIONAL_TEXTS, member, others[member]));
  if (!isWhole) throw new ContractViolation(`no animal: ${Bun.inspect(value)}`);
  return { id, name, categoryId, status: status as Status, ...others };
}

/** The content of an animal that has each of the members that it may lack. */
export function wholeAnimal(content: Pick<Content, "name" | "categoryId" | "status">): Content {
  return { ...content, ...aTextOfEach(OPTIONAL_TEXTS) };
}

/** Content in which no member has the value that `ContractSession.add` gives it. */
export function aDifferentAnimal(name: string): Content {
  return { name, categoryId: 2n, status: "sold", ...aTextOfEach(OPTIONAL_TEXTS, -1) };
}

/** Whether two animals agree in everything but their ids. */
export function isSame(a: Content, b: Content): boolean {
  const isSameLater = OPTIONAL_TEXTS.every(([member]) => a[member] === b[member]);
  return isSameLater && a.name === b.name && a.categoryId === b.categoryId && a.status === b.status;
}

/** An animal for people, with every character of its name visible. */
export function show(content: Content): string {
  const { name, categoryId, status } = content;
  const later = textsOf(OPTIONAL_TEXTS, content).map(([member, value]) => `,"${member}":${escapeAll(value)}`);
  return `{"name":${escapeAll(name)},"categoryId":${categoryId},"status":"${status}"${later.join("")}}`;
}
