import { Failure } from "../src/domain/failure.ts";
import { problemsOf } from "../src/domain/problems.ts";
import { quote } from "../src/domain/quote.ts";
import {
  DECLARED_STATUSES,
  type Fault,
  type FaultName,
  type FaultRule,
  faultOf,
  preferredFaultSchema,
} from "./faults.ts";

/** A quoted string (RFC 9110, section 5.6.4). */
const QUOTED = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

/** The preferences that ask for a fault, each with what it may say in addition to its value. */
const PREFERENCES = {
  fault: ["delayMs", "delayMaxMs", "retryAfterSeconds"],
  /** As Prism and others spell it: the status of a fault. */
  code: [],
  /** As others spell it: milliseconds. */
  delay: [],
} as const satisfies Record<string, readonly string[]>;

type Preference = keyof typeof PREFERENCES;

/** The statuses among the faults. */
const CODES = [...DECLARED_STATUSES, "408", "429", "500", "502", "503", "504"] as const;
const CODE_RULE = `\`code\` must be one of ${CODES.map(quote).join(", ")}`;

/** What a request asks for. */
interface Preferred {
  /** In the order in which they happen. */
  readonly faults: readonly Fault[];
  /** The preferences, for `Preference-Applied`. */
  readonly applied: string;
}

/**
 * The faults that a request asks for (RFC 7240): `Prefer: fault=429; retryAfterSeconds=2`, `Prefer: code=503, delay=2000`.
 * Other preferences are ignored. A fault that does not exist is refused, since a test that asks for it would test nothing.
 *
 * @param obstacleTo what keeps the request from meeting a fault, if anything does
 */
export function preferredFaults(
  prefer: string | null,
  obstacleTo: (fault: FaultName) => string | undefined = () => undefined,
): Preferred | Failure<"invalid_header"> | undefined {
  if (prefer === null) return undefined;
  const given = new Map<Preference, { readonly rule: FaultRule; readonly text: string }>();
  for (const text of split(prefer, ",")) {
    const name = /^(fault|code|delay)\s*(?:[=;]|$)/i.exec(text)?.[1]?.toLowerCase() as Preference | undefined;
    // The first counts (RFC 7240, section 2).
    if (name === undefined || given.has(name)) continue;
    const rule = ruleOf(name, text);
    if (rule instanceof Failure) return rule;
    const obstacle = obstacleTo(rule.fault);
    if (obstacle !== undefined) return refusal(`${quote(rule.fault)} ${obstacle}`);
    given.set(name, { rule, text });
  }
  if (given.has("fault") && given.has("code")) return refusal("`code` must not be given with `fault`");
  const inOrder = (["delay", "fault", "code"] as const).flatMap((name) => given.get(name) ?? []);
  if (inOrder.length === 0) return undefined;
  return {
    faults: inOrder.map(({ rule }) => faultOf(rule, Math.random())),
    applied: [...given.values()].map(({ text }) => text).join(", "),
  };
}

/** The rule that a preference stands for. */
function ruleOf(name: Preference, text: string): FaultRule | Failure<"invalid_header"> {
  const values = valuesOf(name, text);
  if (values instanceof Failure) return values;
  const { [name]: value = "", ...options } = values;
  if (name === "code" && !CODES.some((code) => code === value)) return refusal(CODE_RULE);
  const wanted: Record<string, unknown> =
    name === "delay" ? { fault: "delay", delayMs: numberOr(value) } : { fault: value };
  for (const [option, each] of Object.entries(options)) wanted[option] = numberOr(each);
  const checked = preferredFaultSchema.safeParse(wanted);
  if (checked.success) return checked.data;
  const problems = problemsOf(checked.error, wanted).join("; ");
  return refusal(name === "delay" ? problems.replace("`delayMs`", "`delay`") : problems);
}

/** What a preference and its parameters say, by their names. */
function valuesOf(name: Preference, preference: string): Record<string, string> | Failure<"invalid_header"> {
  // The names of preferences and of their parameters are case-insensitive.
  const known = new Map([name, ...PREFERENCES[name]].map((each) => [each.toLowerCase(), each]));
  const values: Record<string, string> = {};
  for (const parameter of split(preference, ";")) {
    // RFC 7240 allows a semicolon without a parameter.
    if (parameter === "") continue;
    const [given = "", text = ""] = split(parameter, "=");
    const member = known.get(given.toLowerCase());
    if (member === undefined) {
      return refusal(`${quote(parameter)} is none of ${[...known.values()].map(quote).join(", ")}`);
    }
    values[member] = isQuoted(text) ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
  }
  return values;
}

function numberOr(text: string): bigint | string {
  return /^\d+$/.test(text) ? BigInt(text) : text;
}

/**
 * The trimmed parts of a text between separators outside of quoted strings, in time proportional to its length. A quote that
 * is never closed is a character like any other.
 */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  // After a quote that is never closed, no other is.
  let isClosed = true;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"' && isClosed) {
      QUOTED.lastIndex = at;
      isClosed = QUOTED.test(text);
      if (isClosed) at = QUOTED.lastIndex - 1;
    } else if (text[at] === separator) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

function isQuoted(text: string): boolean {
  QUOTED.lastIndex = 0;
  return QUOTED.test(text) && QUOTED.lastIndex === text.length;
}

function refusal(problems: string): Failure<"invalid_header"> {
  return new Failure("invalid_header", {
    name: "Prefer",
    rule: `asks for no fault that this request can meet: ${problems}`,
  });
}
