import { Failure } from "../domain/failure.ts";
import { problemsOf } from "../domain/problems.ts";
import { type Fault, faultOf, preferredFaultSchema } from "./faults.ts";

/** `preference-parameter` of RFC 7240, section 2: `name=value`, where the value may be quoted. */
const PARAMETER = /^\s*([A-Za-z]+)\s*=\s*(?:"([^"]*)"|([^\s"]*))\s*$/;

/** The names of preferences are case-insensitive. */
const NAMES = new Map(["fault", "delayMs", "retryAfterSeconds"].map((name) => [name.toLowerCase(), name]));

/**
 * The fault that a request asks for: `Prefer: fault=429; retryAfterSeconds=2` (RFC 7240). Other preferences are ignored.
 * A fault that does not exist is refused, since a test that asks for it would test nothing.
 */
export function preferredFault(prefer: string | null): Fault | Failure<"invalid_header"> | undefined {
  const preference = prefer?.split(",").find((each) => /^\s*fault\b/i.test(each));
  if (preference === undefined) return undefined;
  const wanted: Record<string, unknown> = {};
  for (const parameter of preference.split(";")) {
    const [, name = "", quoted, plain = ""] = PARAMETER.exec(parameter) ?? [];
    const value = quoted ?? plain;
    const isNumber = name.toLowerCase() !== "fault" && /^\d+$/.test(value);
    wanted[NAMES.get(name.toLowerCase()) ?? parameter.trim()] = isNumber ? BigInt(value) : value;
  }
  const checked = preferredFaultSchema.safeParse(wanted);
  if (checked.success) return faultOf(checked.data);
  const problems = problemsOf(checked.error, wanted).join("; ");
  return new Failure("invalid_header", {
    name: "Prefer",
    rule: `asks for no fault of the sandbox: ${problems}`,
  });
}
