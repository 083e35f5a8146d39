import { Failure } from "../domain/failure.ts";
import { problemsOf } from "../domain/problems.ts";
import { quote } from "../domain/quote.ts";
import { type Fault, faultOf, preferredFaultSchema } from "./faults.ts";

/** The texts between commas, or between semicolons, outside of quoted strings (RFC 9110, section 5.6.4). */
const BETWEEN_COMMAS = /(?:"(?:[^"\\]|\\.)*"|[^,])+/g;
const BETWEEN_SEMICOLONS = /(?:"(?:[^"\\]|\\.)*"|[^;])+/g;

/** Matches the preference `fault`, but none whose name merely begins with it. */
const FAULT = /^\s*fault\s*(?:[=;]|$)/i;

/** A preference or a parameter of RFC 7240, section 2: `name`, or `name=value`, where the value may be quoted. */
const PARAMETER = /^\s*([^\s=]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]*)))?\s*$/;

/** The names of preferences are case-insensitive. */
const NAMES = new Map(["fault", "delayMs", "retryAfterSeconds"].map((name) => [name.toLowerCase(), name]));

/**
 * The fault that a request asks for: `Prefer: fault=429; retryAfterSeconds=2` (RFC 7240). Other preferences are ignored.
 * A fault that does not exist is refused, since a test that asks for it would test nothing.
 */
export function preferredFault(prefer: string | null): Fault | Failure<"invalid_header"> | undefined {
  const preference = prefer?.match(BETWEEN_COMMAS)?.find((each) => FAULT.test(each));
  if (preference === undefined) return undefined;
  const wanted: Record<string, unknown> = {};
  for (const parameter of preference.match(BETWEEN_SEMICOLONS) ?? []) {
    // RFC 7240 allows a semicolon without a parameter.
    if (parameter.trim() === "") continue;
    const [, name = "", quoted, plain = ""] = PARAMETER.exec(parameter) ?? [];
    const known = NAMES.get(name.toLowerCase());
    if (known === undefined) {
      return refusal(`${quote(parameter.trim())} is none of ${[...NAMES.values()].map(quote).join(", ")}`);
    }
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    wanted[known] = known !== "fault" && /^\d+$/.test(value) ? BigInt(value) : value;
  }
  const checked = preferredFaultSchema.safeParse(wanted);
  if (checked.success) return faultOf(checked.data);
  return refusal(problemsOf(checked.error, wanted).join("; "));
}

function refusal(problems: string): Failure<"invalid_header"> {
  return new Failure("invalid_header", {
    name: "Prefer",
    rule: `names no fault of the sandbox: ${problems}`,
  });
}
