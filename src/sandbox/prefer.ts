import { Failure } from "../domain/failure.ts";
import { problemsOf } from "../domain/problems.ts";
import { quote } from "../domain/quote.ts";
import { type Fault, faultOf, preferredFaultSchema } from "./faults.ts";

/** A quoted string (RFC 9110, section 5.6.4). */
const QUOTED = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

/** Matches the preference `fault`, but none whose name merely begins with it. */
const FAULT = /^fault\s*(?:[=;]|$)/i;

/** The names of preferences are case-insensitive. */
const NAMES = new Map(["fault", "delayMs", "retryAfterSeconds"].map((name) => [name.toLowerCase(), name]));

/**
 * The fault that a request asks for: `Prefer: fault=429; retryAfterSeconds=2` (RFC 7240). Other preferences are ignored.
 * A fault that does not exist is refused, since a test that asks for it would test nothing.
 */
export function preferredFault(prefer: string | null): Fault | Failure<"invalid_header"> | undefined {
  const preference = split(prefer ?? "", ",").find((each) => FAULT.test(each));
  if (preference === undefined) return undefined;
  const wanted: Record<string, unknown> = {};
  for (const parameter of split(preference, ";")) {
    // RFC 7240 allows a semicolon without a parameter.
    if (parameter === "") continue;
    const [name = "", text = ""] = split(parameter, "=");
    const known = NAMES.get(name.toLowerCase());
    if (known === undefined) {
      return refusal(`${quote(parameter)} is none of ${[...NAMES.values()].map(quote).join(", ")}`);
    }
    const value = isQuoted(text) ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
    wanted[known] = known !== "fault" && /^\d+$/.test(value) ? BigInt(value) : value;
  }
  const checked = preferredFaultSchema.safeParse(wanted);
  if (checked.success) return faultOf(checked.data);
  return refusal(problemsOf(checked.error, wanted).join("; "));
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
    rule: `names no fault of the sandbox: ${problems}`,
  });
}
