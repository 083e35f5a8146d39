import { METHODS } from "node:http";
import { Failure } from "../src/domain/failure.ts";
import { quote } from "../src/domain/quote.ts";
import { BASE_PATH, withHead } from "../src/http/request/routes.ts";
import { isBelow } from "../src/http/request/target.ts";
import { FAILURE_TABLE } from "../src/http/response/failure-table.ts";
import type { Operation } from "../src/operations/operation.ts";
import { PROXY_STATUSES, REQUEST_FAULT_NAMES } from "./faults.ts";
import type { FilterName, JournalFilter } from "./journal-entry.ts";
import { KEY_NAMES } from "./keys.ts";
import { noneOf } from "./none-of.ts";

/** Of a preflight, and of a conditional request. */
const WITHOUT_BODY = [204, 304];
/** What the runtime leaves of a header: no control characters, and nothing blank around it. */
const HEADER_VALUE = /^(?!\s)[^\p{Cc}]+(?<!\s)$/u;

/**
 * Refuses a filter that no request can ever match: a test that counts what it admits would pass whatever its client does.
 * Where the values are few, the refusal names them, and what was probably meant.
 */
export class JournalFilters {
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #operationOf: (method: string, target: string) => Operation | undefined;
  readonly #values: { readonly [Name in FilterName]?: readonly string[] };

  /** @param operationOf finds the operation that a request names */
  constructor(
    operations: readonly Operation[],
    operationOf: (method: string, target: string) => Operation | undefined,
  ) {
    this.#operations = new Map(operations.map((operation) => [operation.id, operation]));
    this.#operationOf = operationOf;
    this.#values = {
      operation: [...this.#operations.keys()],
      method: METHODS,
      key: KEY_NAMES,
      fault: REQUEST_FAULT_NAMES,
      status: statusesOf(operations),
    };
  }

  /** The failure of a filter that makes no sense. */
  problemOf(filter: JournalFilter): Failure<"invalid_parameter"> | undefined {
    for (const [name, value] of Object.entries(filter) as [FilterName, string][]) {
      const rule = this.#ruleAgainst(name, value);
      if (rule !== undefined) return new Failure("invalid_parameter", { name, rule });
    }
    const { operation: id, method, path } = filter;
    const operation = this.#operations.get(id ?? "");
    if (!operation) return undefined;
    const methods = withHead([operation.method]);
    if (method !== undefined && !methods.includes(method))
      return refusal("method", `matches nothing: ${quote(operation.id)} has ${methods.join(" and ")}`);
    if (path !== undefined && this.#operationOf(operation.method, path) !== operation)
      return refusal("path", `matches nothing: ${quote(operation.id)} has ${BASE_PATH}${operation.path}`);
    return undefined;
  }

  #ruleAgainst(name: FilterName, value: string): string | undefined {
    const values = this.#values[name];
    if (values) return values.includes(value) ? undefined : noneOf(values, value);
    if (name === "idempotencyKey")
      return value === "" || HEADER_VALUE.test(value)
        ? undefined
        : "matches nothing: no header has such a value";
    return isBelow(BASE_PATH, value) && !value.includes("?")
      ? undefined
      : `must be a path below ${BASE_PATH}, without a query, for example ${BASE_PATH}/pets`;
  }
}

function refusal(name: FilterName, rule: string): Failure<"invalid_parameter"> {
  return new Failure("invalid_parameter", { name, rule });
}

/** Every status that a response of a sandbox may have, in ascending order. */
function statusesOf(operations: readonly Operation[]): string[] {
  const failed = Object.values(FAILURE_TABLE).map(({ status }) => status);
  const answered = operations.flatMap(({ responses }) => Object.keys(responses).map(Number));
  const all = new Set([...answered, ...WITHOUT_BODY, ...failed, ...PROXY_STATUSES]);
  return [...all].sort((one, other) => one - other).map(String);
}
