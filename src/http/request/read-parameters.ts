import { Failure } from "../../domain/failure.ts";
import type { Parameter } from "../../operations/operation.ts";
import type { Route } from "../routes.ts";

/** Reads the parameters that an operation declares; others are ignored. */
export function readParameters(route: Route, headers: Headers): Record<string, unknown> | Failure {
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
