import { EVENT_TYPES } from "../../src/domain/change-event.ts";
import { Failure } from "../../src/domain/failure.ts";
import { DELIVERY_FAULT_NAMES } from "../faults.ts";
import { parametersOf, SHOWN_BY_DEFAULT, SHOWN_MAX, wholeNumber } from "../journal-query.ts";
import { noneOf } from "../none-of.ts";
import {
  DELIVERY_FILTER_NAMES,
  type DeliveryFilter,
  type DeliveryFilterName,
  OUTCOMES,
} from "./delivery-entry.ts";

const NAMES: readonly string[] = [...DELIVERY_FILTER_NAMES, "after", "limit", "atLeast", "waitMs"];
/** How long a request waits for deliveries, in milliseconds. */
const WAIT_BY_DEFAULT_MS = 10_000;
export const WAIT_MAX_MS = 60_000;
/** As many as a list keeps. */
const AT_LEAST_MAX = 1000;

/** What a value must be, by the name of its filter: a list of all, or a pattern with what it means. */
const VALUES: { readonly [Name in DeliveryFilterName]: readonly string[] | readonly [RegExp, string] } = {
  target: [/^[1-9][0-9]{0,8}$/, "must be the number of a target, as `POST /_sandbox/deliveries` returned it"],
  event: EVENT_TYPES,
  eventId: [/^[1-9][0-9]{0,18}$/, "must be the id of an event, in plain decimal"],
  attempt: [/^[1-9][0-9]{0,8}$/, "must be a whole number from 1"],
  fault: DELIVERY_FAULT_NAMES,
  status: [/^[2-5][0-9]{2}$/, "must be a status from 200 to 599"],
  outcome: OUTCOMES,
};

interface DeliveryQuery {
  readonly filter: DeliveryFilter;
  readonly after: number;
  readonly limit: number;
  /** How many deliveries must have ended before the response leaves, unless `waitMs` have passed. */
  readonly atLeast: number;
  readonly waitMs: number;
}

/** Reads which deliveries to show. A misspelt filter or value is refused, as the journal refuses it. */
export function readDeliveryQuery(query: string): DeliveryQuery | Failure {
  const given = parametersOf(query, NAMES);
  if (given instanceof Failure) return given;
  const { after: afterText, limit: limitText, atLeast: atLeastText, waitMs: waitText, ...filter } = given;
  const after = wholeNumber("after", afterText, 0, Number.MAX_SAFE_INTEGER);
  if (after instanceof Failure) return after;
  const limit = wholeNumber("limit", limitText, SHOWN_BY_DEFAULT, SHOWN_MAX);
  if (limit instanceof Failure) return limit;
  const atLeast = wholeNumber("atLeast", atLeastText, 0, AT_LEAST_MAX);
  if (atLeast instanceof Failure) return atLeast;
  const waitMs = wholeNumber("waitMs", waitText, WAIT_BY_DEFAULT_MS, WAIT_MAX_MS);
  if (waitMs instanceof Failure) return waitMs;
  for (const [name, value] of Object.entries(filter) as [DeliveryFilterName, string][]) {
    const rule = ruleAgainst(name, value);
    if (rule !== undefined) return new Failure("invalid_parameter", { name, rule });
  }
  return { filter, after, limit, atLeast, waitMs };
}

function ruleAgainst(name: DeliveryFilterName, value: string): string | undefined {
  const [first, rule] = VALUES[name];
  if (first instanceof RegExp) return first.test(value) ? undefined : rule;
  const values = VALUES[name] as readonly string[];
  return values.includes(value) ? undefined : noneOf(values, value);
}
