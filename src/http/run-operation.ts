import type { ApiKey } from "../domain/api-key.ts";
import type { Cursors } from "../domain/cursor.ts";
import { Failure } from "../domain/failure.ts";
import type { Plan } from "../operations/operation.ts";
import { readBody } from "./request/read-body.ts";
import { readParameters } from "./request/read-parameters.ts";
import type { Route } from "./routes.ts";

/** What an operation takes of a request. */
export interface Input {
  readonly body: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Reads what an operation takes of a request that has a body: first the body, then the parameters. */
export async function readInput(request: Request, route: Route): Promise<Input | Failure> {
  const declared = route.operation.body;
  const body = declared && (await readBody(request, declared));
  if (body instanceof Failure) return body;
  return withParameters(request, route, body);
}

export function withParameters(request: Request, route: Route, body?: unknown): Input | Failure {
  const parameters = readParameters(route, request.headers);
  return parameters instanceof Failure ? parameters : { body, parameters };
}

/** What the operation is going to do with its input. */
export function planOf(
  { operation }: Route,
  caller: ApiKey,
  input: Input | Failure,
  cursors: Cursors,
): Plan | Failure {
  return input instanceof Failure ? input : operation.plan({ cursors }, { caller, ...input });
}
