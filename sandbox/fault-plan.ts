import type { JsonValue } from "../src/domain/json-reader.ts";
import { pseudoRandom } from "../src/domain/pseudo-random.ts";
import {
  type DeliveryFault,
  type Fault,
  type FaultName,
  type FaultRule,
  faultOf,
  isOfDeliveries,
  RULES_MAX,
} from "./faults.ts";

/** A rule names the last requests or deliveries that it hit. */
const HITS_MAX = 1000;
/** The range of the pseudo-random numbers. */
const RANGE = 2 ** 32;

/** A rule of the plan, and what it has done. */
interface Planned {
  readonly rule: FaultRule;
  /** How many more requests pass before the first that gets the fault. */
  waits: number;
  /** How many more requests get it; without `count`, any number. */
  left: number;
  /** The ids of the requests that got it, in the journal, or of the deliveries, in their list. */
  readonly hit: number[];
  /** From 0 to 1. */
  readonly chance: () => number;
}

/** A request of an operation, as far as rules look at it. */
interface Candidate {
  /** In the journal. */
  readonly id: number;
  readonly operation: string;
  readonly key: string | null;
  /** With the version and without a query. */
  readonly path: string;
  /** As JSON, if it is that, and if a rule may look at it. */
  readonly body: JsonValue | undefined;
  /** What keeps the request from meeting a fault, if anything does. */
  readonly obstacleTo: (fault: FaultName) => string | undefined;
}

/** A delivery that is about to leave, as far as rules look at it. */
interface DeliveryCandidate {
  /** In the list of deliveries. */
  readonly id: number;
  /** The type of its event. */
  readonly event: string;
  /** Whether the next event may go first: neither a repetition nor an event that goes before another one. */
  readonly canSwap: boolean;
}

/** A fault that a request or a delivery meets. */
interface Taken<Met extends Fault = Fault> {
  readonly fault: Met;
  /** The place of its rule in the plan. */
  readonly rule: number;
}

/** The faults that are planned for the next requests. */
export class FaultPlan {
  #planned: readonly Planned[] = [];

  /** The rules as they were planned, with what is left of each `count`. */
  get rules() {
    return this.#planned.map(({ rule, left, hit }) => ({
      ...rule,
      ...(rule.count !== undefined && { count: left }),
      hit,
    }));
  }

  get isEmpty(): boolean {
    return this.#planned.length === 0;
  }

  replace(rules: readonly FaultRule[]): void {
    this.#planned = rules.map(plannedOf);
  }

  /** Appends rules to the plan, and leaves its rules as they are. Returns whether there was room. */
  add(rules: readonly FaultRule[]): boolean {
    if (this.#planned.length + rules.length > RULES_MAX) return false;
    this.#planned = [...this.#planned, ...rules.map(plannedOf)];
    return true;
  }

  /** Whether a rule depends on what the body of a request of this operation has. */
  looksAtBody(operation: string): boolean {
    return this.#planned.some(
      ({ rule, left }) => left > 0 && rule.body !== undefined && (rule.operation ?? operation) === operation,
    );
  }

  /**
   * Returns the faults for a request in the order in which they happen, with the places of their rules: the first delay that
   * hits it, and the first other fault, since networks are slow also when services fail.
   */
  take(request: Candidate): readonly Taken[] {
    const delay = this.#first(request.id, (rule) => isDelay(rule) && covers(rule, request));
    const other = this.#first(request.id, (rule) => !isDelay(rule) && covers(rule, request));
    return [delay, other].filter((taken) => taken !== undefined);
  }

  /** The first fault that hits a delivery. */
  takeForDelivery({ id, event, canSwap }: DeliveryCandidate): Taken<Fault<DeliveryFault>> | undefined {
    const taken = this.#first(
      id,
      (rule) =>
        isOfDeliveries(rule.fault) &&
        (rule.event ?? event) === event &&
        (canSwap || rule.fault !== "delivery_swapped"),
    );
    return taken as Taken<Fault<DeliveryFault>> | undefined;
  }

  /** The fault of the first of the rules that cover a request or a delivery, and hit it. */
  #first(id: number, isCovered: (rule: FaultRule) => boolean): Taken | undefined {
    for (const [place, planned] of this.#planned.entries()) {
      if (planned.left <= 0 || !isCovered(planned.rule) || !hits(planned)) continue;
      planned.left--;
      planned.hit.push(id);
      if (planned.hit.length > HITS_MAX) planned.hit.shift();
      return { fault: faultOf(planned.rule, planned.chance()), rule: place };
    }
    return undefined;
  }
}

function isDelay({ fault }: FaultRule): boolean {
  return fault === "delay";
}

function plannedOf(rule: FaultRule): Planned {
  const next = pseudoRandom(rule.seed ?? 1);
  const chance = () => next() / RANGE;
  return { rule, waits: rule.after ?? 0, left: rule.count ?? Number.POSITIVE_INFINITY, hit: [], chance };
}

/** Whether a rule hits what it covers; counts that. */
function hits(planned: Planned): boolean {
  if (planned.waits > 0) {
    planned.waits--;
    return false;
  }
  const { probability } = planned.rule;
  return probability === undefined || planned.chance() < probability;
}

function covers(rule: FaultRule, { operation, key, path, body, obstacleTo }: Candidate): boolean {
  return (
    !isOfDeliveries(rule.fault) &&
    (rule.operation ?? operation) === operation &&
    (rule.key ?? key) === key &&
    (rule.path ?? path) === path &&
    (rule.body === undefined || has(body, rule.body)) &&
    obstacleTo(rule.fault) === undefined
  );
}

/** Whether a JSON value has what is wanted: each member of an object, each element of an array, or the same value. */
function has(value: JsonValue | undefined, wanted: JsonValue): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(wanted) !== Array.isArray(value)) return false;
  if (Array.isArray(wanted) && wanted.length !== (value as readonly JsonValue[]).length) return false;
  return Object.entries(wanted).every(([name, each]) =>
    has((value as Record<string, JsonValue>)[name], each),
  );
}
