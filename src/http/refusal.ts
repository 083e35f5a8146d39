import type { ApiKey } from "../domain/api-key.ts";
import { Failure } from "../domain/failure.ts";
import type { Route } from "./routes.ts";

/**
 * Why a caller may not do what it asks for, in the order of the contract: 401, the failure of path or method, 410, 403.
 *
 * @param now milliseconds since 1970
 */
export function refusalOf(
  caller: ApiKey | Failure,
  route: Route | Failure,
  now: number,
): Failure | undefined {
  if (caller instanceof Failure) return caller;
  if (route instanceof Failure) return route;
  const { deprecation, scope } = route.operation;
  if (deprecation && now >= deprecation.sunset.getTime()) {
    return new Failure("operation_removed", { removedOn: deprecation.sunset, instead: deprecation.instead });
  }
  if (!caller.scopes.includes(scope)) return new Failure("insufficient_scope", { scope });
  return undefined;
}
