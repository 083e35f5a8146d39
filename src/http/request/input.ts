import { Failure } from "../../domain/failure.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Parameter } from "../../operations/operation.ts";
import { readBody, receiveBody } from "./body.ts";
import type { Route } from "./routes.ts";

/** The parts of a request that an operation uses. */
export interface Input {
  readonly body: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
}

/** What was received as the body of a request, if its operation has one, or why it was not. */
type Received = Uint8Array | Failure | undefined;

/** Receives the body of a request, if its operation has one. */
export function receive(request: Request, { operation }: Route): MaybePromise<Received> {
  return operation.body && receiveBody(request, operation.body);
}

/** Reads the input of an operation from a request and its body: first the body, then the parameters. */
export function readInput(request: Request, route: Route, received?: Received): Input | Failure {
  const { body: declared, streams } = route.operation;
  const body = declared && received instanceof Uint8Array ? readBody(received, declared) : received;
  if (body instanceof Failure) return body;
  const parameters = readParameters(route, request.headers);
  if (parameters instanceof Failure) return parameters;
  const isStream = streams === true && prefersEventStream(request.headers.get("accept"));
  return { body, parameters, isStream };
}

/** Reads the parameters that an operation declares; others are ignored. */
function readParameters(route: Route, headers: Headers): Record<string, unknown> | Failure {
  const values: Record<string, unknown> = {};
  const { parameters } = route.operation;
  for (const name in parameters) {
    const value = readParameter(name, parameters[name] as Parameter, route, headers);
    if (value instanceof Failure) return value;
    values[name] = value;
  }
  return values;
}

function readParameter(
  name: string,
  parameter: Parameter,
  { path, query }: Route,
  headers: Headers,
): unknown {
  if (parameter.in === "path") return parameter.read(path[name]);
  if (parameter.in === "header") return parameter.read(headers.get(name) ?? undefined);
  const given = query.get(name) ?? [];
  if (given.length > 1) return new Failure("invalid_parameter", { name, rule: "must be given once" });
  return parameter.read(given[0]);
}

/**
 * Whether an `Accept` (RFC 9110, section 12.5.1) prefers server-sent events to JSON. It must name `text/event-stream`.
 * If it gives JSON the same weight, the client gets JSON.
 */
export function prefersEventStream(accept: string | null): boolean {
  if (accept === null || !/text\/event-stream/i.test(accept)) return false;
  const weights = new Map(accept.split(",").map(weightOf));
  const stream = weights.get("text/event-stream") ?? 0;
  const json = weights.get("application/json") ?? weights.get("application/*");
  if (stream === 0) return false;
  return json === undefined ? stream >= (weights.get("*/*") ?? 0) : stream > json;
}

/** A media range and its weight; a weight that is not a number counts as 0. */
function weightOf(item: string): [range: string, weight: number] {
  const [range = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  return [range, given === undefined ? 1 : Number(given.slice("q=".length)) || 0];
}
