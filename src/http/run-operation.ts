import type { ApiKey } from "../domain/api-key.ts";
import type { Cursors } from "../domain/cursor.ts";
import { Failure } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import type { Plan } from "../operations/operation.ts";
import { prefersEventStream } from "./request/accept.ts";
import { readBody, receiveBody } from "./request/read-body.ts";
import { readParameters } from "./request/read-parameters.ts";
import type { Route } from "./routes.ts";

/** The parts of a request that an operation uses. */
export interface Input {
  readonly body: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
}

/** Receives the body of a request, for `readInput`. */
export function receiveInput(request: Request, { operation }: Route): MaybePromise<Uint8Array | Failure> {
  return operation.body ? receiveBody(request, operation.body) : new Uint8Array();
}

/** Reads the input of an operation from a request whose body was received: first the body, then the parameters. */
export function readInput(request: Request, route: Route, bytes: Uint8Array): Input | Failure {
  const declared = route.operation.body;
  const body = declared && readBody(bytes, declared);
  if (body instanceof Failure) return body;
  return withParameters(request, route, body);
}

export function withParameters(request: Request, route: Route, body?: unknown): Input | Failure {
  const parameters = readParameters(route, request.headers);
  if (parameters instanceof Failure) return parameters;
  const isStream = route.operation.streams === true && prefersEventStream(request.headers.get("accept"));
  return { body, parameters, isStream };
}

/** The plan of an operation for its input, or why there is none. */
export function planOf(
  { operation }: Route,
  caller: ApiKey,
  input: Input | Failure,
  cursors: Cursors,
): Plan | Failure {
  return input instanceof Failure ? input : operation.plan({ cursors }, { caller, ...input });
}
