import { z } from "zod";
import { quote } from "../domain/quote.ts";

/** The faults that a client of a real service may meet, each with the member by which a rule can adjust it. */
const FAULTS = {
  /** `rate_limited`, with `Retry-After`. Nothing was done. */
  "429": "retryAfterSeconds",
  /** `internal_error`. Nothing was done. */
  "500": undefined,
  /** The HTML page of a proxy that does not reach the service. Nothing was done. */
  "502": undefined,
  /** `overloaded`, with `Retry-After`. Nothing was done. */
  "503": "retryAfterSeconds",
  /** The connection is reset before a response. Nothing was done. */
  reset: undefined,
  /** The request is carried out, and the connection closed without a response. */
  lost: undefined,
  /** The request is carried out, and the connection closed in the middle of the response, or of a stream's next event. */
  cut: undefined,
  /** The request is carried out after a delay. */
  delay: "delayMs",
  /** The request is carried out, and the response arrives in small pieces with a delay between them. */
  slow: "delayMs",
} as const;

type FaultName = keyof typeof FAULTS;

const FAULT_NAMES = Object.keys(FAULTS) as [FaultName, ...FaultName[]];
const DELAY_MAX_MS = 120_000;
const RETRY_AFTER_MAX_SECONDS = 86_400;
const COUNT_MAX = 1_000_000;
const RULES_MAX = 100;
/** A rule names the last requests that it hit. */
const HITS_MAX = 1000;

/** A fault to inject into a request, with a value for each option. */
export interface Fault {
  readonly fault: FaultName;
  readonly delayMs: number;
  readonly retryAfterSeconds: number;
}

/** A planned fault, as the control interface shows it. */
interface FaultRule {
  readonly fault: FaultName;
  readonly delayMs?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The only operation whose requests get the fault; left out: every operation. */
  readonly operation?: string | undefined;
  /** How many more requests get it; left out: all, until the rule is deleted. */
  readonly count?: number | undefined;
}

/** JSON integers are read as bigints. */
function whole(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .bigint({ error })
    .min(BigInt(minimum), { error })
    .max(BigInt(maximum), { error })
    .transform(Number);
}

function oneOf<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, { error: `must be one of ${names.map(quote).join(", ")}` });
}

/** A fault with its options. A misspelt option is refused, since requests would get another fault than intended. */
function faultSchema<Others extends z.ZodRawShape>(others: Others) {
  const members = {
    fault: oneOf(FAULT_NAMES),
    delayMs: whole(1, DELAY_MAX_MS).optional(),
    retryAfterSeconds: whole(0, RETRY_AFTER_MAX_SECONDS).optional(),
    ...others,
  };
  const error = `must be an object with no other members than ${Object.keys(members).map(quote).join(", ")}`;
  return z.strictObject(members, { error }).superRefine((given, context) => {
    const rule = given as FaultRule;
    for (const name of ["delayMs", "retryAfterSeconds"] as const) {
      if (rule[name] === undefined || FAULTS[rule.fault] === name) continue;
      const having = FAULT_NAMES.filter((fault) => FAULTS[fault] === name);
      const message = `belongs to the faults ${having.map(quote).join(" and ")} only`;
      context.addIssue({ code: "custom", path: [name], message });
    }
  });
}

/** The fault that a request asks for in its own header. */
export const preferredFaultSchema = faultSchema({});

/** The body of a request that plans faults. @param operations the ids of the operations that the sandbox offers */
export function faultRulesSchema(operations: readonly [string, ...string[]]) {
  const rule = faultSchema({
    operation: oneOf(operations).optional(),
    count: whole(1, COUNT_MAX).optional(),
  });
  const error = `must be an array of at most ${RULES_MAX} faults`;
  return z.object({ faults: z.array(rule, { error }).max(RULES_MAX, { error }) });
}

/** The default pause of `slow` is shorter, since one response has many pauses. */
const DELAYS_MS: Partial<Record<FaultName, number>> = { delay: 1000, slow: 100 };

/** The fault of a rule, with defaults for what the rule leaves out. */
export function faultOf({ fault, delayMs, retryAfterSeconds }: FaultRule): Fault {
  return {
    fault,
    delayMs: delayMs ?? DELAYS_MS[fault] ?? 0,
    retryAfterSeconds: retryAfterSeconds ?? 1,
  };
}

/** A rule of the plan, and what it has done. */
interface PlannedFault {
  readonly rule: FaultRule;
  /** How many more requests get it; without `count`, any number. */
  left: number;
  /** The ids of the requests that got it, in the journal. */
  readonly hit: number[];
}

/** The faults that are planned for the next requests. */
export class FaultPlan {
  #planned: readonly PlannedFault[] = [];

  /** The rules as they were planned, with what is left of each `count`. */
  get rules() {
    return this.#planned.map(({ rule, left, hit }) => ({
      ...rule,
      ...(rule.count !== undefined && { count: left }),
      hit,
    }));
  }

  replace(rules: readonly FaultRule[]): void {
    this.#planned = rules.map((rule) => ({ rule, left: rule.count ?? Number.POSITIVE_INFINITY, hit: [] }));
  }

  /**
   * Returns the fault for a request, from the first rule that covers it, and counts the request for that rule.
   *
   * @param operation the id of the request's operation
   * @param id of the request, in the journal
   */
  take(operation: string, id: number): { readonly fault: Fault; readonly rule: number } | undefined {
    const place = this.#planned.findIndex(
      ({ rule, left }) => left > 0 && (rule.operation ?? operation) === operation,
    );
    const planned = this.#planned[place];
    if (!planned) return undefined;
    planned.left--;
    planned.hit.push(id);
    if (planned.hit.length > HITS_MAX) planned.hit.shift();
    return { fault: faultOf(planned.rule), rule: place };
  }
}
