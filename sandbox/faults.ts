import { z } from "zod";
import type { Flaw } from "../relay/flawed.ts";
import { EVENT_TYPES, type EventType } from "../src/domain/change-event.ts";
import type { JsonValue } from "../src/domain/json-reader.ts";
import { quote } from "../src/domain/quote.ts";
import { KEY_NAMES } from "./keys.ts";

/** The members by which a rule can adjust its fault. */
type Option = "delayMs" | "delayMaxMs" | "retryAfterSeconds";

const DELAYED: readonly Option[] = ["delayMs", "delayMaxMs"];

/** The statuses with which the operations refuse a request for good. */
export const DECLARED_STATUSES = [
  "400",
  "401",
  "403",
  "404",
  "409",
  "410",
  "412",
  "413",
  "415",
  "422",
] as const;

/** A status with which an operation may refuse a request for good. */
export type DeclaredStatus = (typeof DECLARED_STATUSES)[number];

const DECLARED = Object.fromEntries(DECLARED_STATUSES.map((status) => [status, []])) as unknown as Record<
  DeclaredStatus,
  readonly []
>;

/** The faults that a client of a real service may meet, each with its options. */
const REQUEST_FAULTS = {
  /** The operation's own Error with this status. Nothing was done. */
  ...DECLARED,
  /** A proxy's page: it has waited for the request for too long. Nothing was done. */
  "408": [],
  /** `rate_limited`, with `Retry-After`. Nothing was done. */
  "429": ["retryAfterSeconds"],
  /** `internal_error`. Nothing was done. */
  "500": [],
  /** A proxy's page: it does not reach the service. Nothing was done. */
  "502": [],
  /** `overloaded`, with `Retry-After`. Nothing was done. */
  "503": ["retryAfterSeconds"],
  /** A proxy's page: it has not waited for the response. The request is carried out. */
  "504": [],
  /** The connection is reset before a response. Nothing was done. */
  reset: [],
  /** The request is carried out, and the connection closed without a response. */
  lost: [],
  /** The request is carried out, and the connection closed in the middle of the response, or of a stream's next event. */
  cut: [],
  /** The request is carried out after a delay. */
  delay: DELAYED,
  /** The request is carried out, and the response arrives in small pieces with a delay between them. */
  slow: DELAYED,
  /** The request is carried out, and the response's JSON ends in its middle. */
  malformed_json: [],
  /** The request is carried out, and the response claims to be HTML. */
  wrong_content_type: [],
  /** The request is carried out, and the response has no body. */
  empty_body: [],
  /** The request is carried out, and integers beyond 2^53 are rounded, as by a proxy that reads JSON as JavaScript does. */
  rounded_id: [],
  /** The cursor is refused as if it had expired. */
  expired_cursor: [],
  /** A stream pauses after its first event. */
  stream_pause: DELAYED,
  /** A stream sends each event twice. */
  stream_repeat: [],
} as const satisfies Record<string, readonly Option[]>;

/** The faults that a receiver of webhooks may meet, each with its options: each flaw of a delivery is one. */
const DELIVERY_FAULTS = {
  /** The event is posted twice. */
  delivery_twice: [],
  /** The event arrives after a delay, and those behind it wait. */
  delivery_late: DELAYED,
  /** The event arrives after the next one. */
  delivery_swapped: [],
  /** The signature is that of a key which nobody has. */
  delivery_wrong_signature: [],
  /** The signature is that of the secret which was replaced. */
  delivery_old_signature: [],
  /** The timestamp is of yesterday, and signed. */
  delivery_old_timestamp: [],
  /** The body has a byte that was not signed. */
  delivery_changed_body: [],
  /** The connection closes in the middle of the body. */
  delivery_cut: [],
  /** The body arrives in small pieces with a delay between them. */
  delivery_slow: DELAYED,
} as const satisfies Readonly<Record<`delivery_${Flaw}`, readonly Option[]>> &
  Readonly<Record<`delivery_${string}`, readonly Option[]>>;

const FAULTS = { ...REQUEST_FAULTS, ...DELIVERY_FAULTS };

export type FaultName = keyof typeof FAULTS;

type RequestFault = keyof typeof REQUEST_FAULTS;

/** A fault of a webhook on its way to a receiver, rather than of a request. */
export type DeliveryFault = keyof typeof DELIVERY_FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as [FaultName, ...FaultName[]];
export const REQUEST_FAULT_NAMES = Object.keys(REQUEST_FAULTS) as [RequestFault, ...RequestFault[]];
export const DELIVERY_FAULT_NAMES = Object.keys(DELIVERY_FAULTS) as [DeliveryFault, ...DeliveryFault[]];

export function isOfDeliveries(fault: FaultName): fault is DeliveryFault {
  return fault in DELIVERY_FAULTS;
}

/** The faults for which the sandbox asks the system to break the client's connection. */
export const BREAKING: ReadonlySet<FaultName> = new Set(["reset", "lost", "cut"]);
/** Whether a fault is a refusal that only some operations declare. */
export function isDeclared(fault: FaultName): fault is DeclaredStatus {
  return DECLARED_STATUSES.some((status) => status === fault);
}

/** Why a fault of these is refused where the system cannot be asked. */
export const CANNOT_BREAK = "breaks connections, which the sandbox cannot do on this system";
/** The statuses of a proxy's own pages. */
export const PROXY_STATUSES = [408, 502, 504] as const;
const OPTIONS = ["delayMs", "delayMaxMs", "retryAfterSeconds"] as const satisfies readonly Option[];
export const DELAY_MAX_MS = 120_000;
const RETRY_AFTER_MAX_SECONDS = 86_400;
const COUNT_MAX = 1_000_000;
const SEED_MAX = 999_999_999;
/** Rules of a plan. */
export const RULES_MAX = 100;

/** A fault to inject into a request or a delivery, with a value for each option. */
export interface Fault<Name extends FaultName = FaultName> {
  readonly fault: Name;
  readonly delayMs: number;
  readonly retryAfterSeconds: number;
}

type JsonObject = Readonly<Record<string, JsonValue>>;

/** A planned fault, as the control interface shows it. */
export interface FaultRule {
  readonly fault: FaultName;
  readonly delayMs?: number | undefined;
  /** Each delay is somewhere between `delayMs` and this. */
  readonly delayMaxMs?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The only operation whose requests get the fault; left out: every operation. */
  readonly operation?: string | undefined;
  /** The name of the only API key whose requests get it; left out: every key of the space, and others. */
  readonly key?: string | undefined;
  /** The only path whose requests get it, with the version and without a query. */
  readonly path?: string | undefined;
  /** The only type of events whose deliveries get it; left out: every type. */
  readonly event?: EventType | undefined;
  /** What the body of a request that gets it must have: these members with these values. Others do not matter. */
  readonly body?: JsonObject | undefined;
  /** How many of these requests or deliveries come before the first that gets it. */
  readonly after?: number | undefined;
  /** How many more requests get it; left out: all, until the rule is deleted. */
  readonly count?: number | undefined;
  /** How likely each of these requests gets it, above 0; left out: 1. */
  readonly probability?: number | undefined;
  /** The same seed repeats what chance decides; left out: 1. */
  readonly seed?: number | undefined;
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

const PROBABILITY_RULE = "must be a number above 0 and not above 1, for example 0.25";

const probability = z
  .union([z.bigint(), z.number()], { error: PROBABILITY_RULE })
  .transform(Number)
  .refine((number) => number > 0 && number <= 1, { error: PROBABILITY_RULE });

/** A fault with its options. A misspelt option is refused, since requests would get another fault than intended. */
function faultSchema<Others extends z.ZodRawShape>(
  names: readonly [FaultName, ...FaultName[]],
  others: Others,
) {
  const members = {
    fault: oneOf(names),
    delayMs: whole(1, DELAY_MAX_MS).optional(),
    delayMaxMs: whole(1, DELAY_MAX_MS).optional(),
    retryAfterSeconds: whole(0, RETRY_AFTER_MAX_SECONDS).optional(),
    ...others,
  };
  const error = `must be an object with no other members than ${Object.keys(members).map(quote).join(", ")}`;
  return z.strictObject(members, { error }).superRefine((given, context) => {
    const rule = given as FaultRule;
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: "custom", path: [name], message });
    for (const name of OPTIONS) {
      if (rule[name] === undefined || takes(rule.fault, name)) continue;
      const having = names.filter((fault) => takes(fault, name));
      refuse(name, `belongs to the faults ${having.map(quote).join(", ")} only`);
    }
    const { delayMs, delayMaxMs } = rule;
    if (delayMaxMs !== undefined && delayMaxMs < (delayMs ?? 0))
      refuse("delayMaxMs", "must not be less than `delayMs`");
  });
}

function takes(fault: FaultName, option: Option): boolean {
  return (FAULTS[fault] as readonly Option[]).includes(option);
}

/** The fault that a request asks for in its own header. */
export const preferredFaultSchema = faultSchema(REQUEST_FAULT_NAMES, {});

/** What a sandbox can do, as far as faults depend on it. */
export interface FaultTargets {
  /** The ids of the operations that it offers. */
  readonly operations: readonly [string, ...string[]];
  /** Whether it can break connections. */
  readonly canBreak: boolean;
  /** Whether an operation may refuse a request with this status. */
  readonly declares: (operation: string, status: DeclaredStatus) => boolean;
  /** Whether a path, with the version, is that of an operation; or of this operation, if it is given. */
  readonly serves: (path: string, operation: string | undefined) => boolean;
  /** Whether the requests of an operation have a body. */
  readonly takesBody: (operation: string) => boolean;
}

const BODY_RULE = "must be an object with the members that the body of a request must have";

/** The body of a request that plans faults. */
export function faultRulesSchema({ operations, canBreak, declares, serves, takesBody }: FaultTargets) {
  const json = z.custom<JsonObject>(isJsonObject, { error: BODY_RULE });
  const rule = faultSchema(FAULT_NAMES, {
    operation: oneOf(operations).optional(),
    key: oneOf(KEY_NAMES).optional(),
    path: z.string({ error: "must be a path" }).optional(),
    event: oneOf(EVENT_TYPES).optional(),
    body: json.optional(),
    after: whole(0, COUNT_MAX).optional(),
    count: whole(1, COUNT_MAX).optional(),
    probability: probability.optional(),
    seed: whole(0, SEED_MAX).optional(),
  })
    .refine(({ fault }) => canBreak || !BREAKING.has(fault), { path: ["fault"], error: CANNOT_BREAK })
    .refine(
      ({ fault, operation }) => operation === undefined || !isDeclared(fault) || declares(operation, fault),
      { path: ["fault"], error: "is no status with which this `operation` refuses a request" },
    )
    .refine(({ path, operation }) => path === undefined || serves(path, operation), {
      path: ["path"],
      error:
        "is no path of this `operation`, or of any: it has the version and no query, for example /v1/pets",
    })
    .refine(({ body, operation }) => body === undefined || operation === undefined || takesBody(operation), {
      path: ["body"],
      error: "cannot be met: requests of this `operation` have no body",
    });
  const error = `must be an array of at most ${RULES_MAX} faults`;
  const rules = z.array(z.preprocess(withFault, rule.superRefine(refuseForeign)), { error });
  return z.object({ faults: rules.max(RULES_MAX, { error }) });
}

/** The members of a rule that are about requests alone. */
const OF_REQUESTS = ["operation", "key", "path", "body"] as const satisfies readonly (keyof FaultRule)[];

/** Refuses a condition that what meets the fault cannot satisfy, since it has no such thing. */
function refuseForeign(rule: FaultRule, context: z.core.$RefinementCtx): void {
  const isDelivery = isOfDeliveries(rule.fault);
  const kind = isDelivery ? "requests" : "deliveries";
  for (const name of isDelivery ? OF_REQUESTS : (["event"] as const)) {
    if (rule[name] === undefined) continue;
    context.addIssue({ code: "custom", path: [name], message: `belongs to faults of ${kind} only` });
  }
}

function isJsonObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `"status": 503` is another way to write `"fault": "503"`. */
function withFault(rule: unknown): unknown {
  if (typeof rule !== "object" || rule === null || !("status" in rule) || "fault" in rule) return rule;
  const { status, ...others } = rule;
  return { ...others, fault: String(status) };
}

/** The default pauses of what is slow are shorter, since one body has many pauses; that of a stream outlasts most patience. */
const DELAYS_MS: Partial<Record<FaultName, number>> = {
  delay: 1000,
  slow: 100,
  stream_pause: 5000,
  delivery_late: 1000,
  delivery_slow: 100,
};

/**
 * The fault of a rule, with defaults for what the rule leaves out.
 *
 * @param chance where between `delayMs` and `delayMaxMs` the delay is, from 0 to 1
 */
export function faultOf({ fault, delayMs, delayMaxMs, retryAfterSeconds }: FaultRule, chance: number): Fault {
  const least = delayMs ?? Math.min(DELAYS_MS[fault] ?? 0, delayMaxMs ?? Number.POSITIVE_INFINITY);
  const spread = (delayMaxMs ?? least) - least;
  return {
    fault,
    delayMs: Math.round(least + spread * chance),
    retryAfterSeconds: retryAfterSeconds ?? 1,
  };
}
