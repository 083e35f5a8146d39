import { ContractViolation } from "./contract-violation.ts";

/** What a caller is told of its key. */
interface CallerKey {
  readonly name: string;
  readonly environment: "production" | "staging";
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
}

const TIME = /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;

/**
 * Reads the key of a response: exactly these members, of these types.
 *
 * @throws ContractViolation
 */
export function callerKeyOf(value: unknown): CallerKey {
  const { name, environment, scopes, expiresAt, ...others } = (value ?? {}) as Record<string, unknown>;
  const isWhole =
    typeof name === "string" &&
    (environment === "production" || environment === "staging") &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === "string" && /^[a-z]+:[a-z]+$/.test(scope)) &&
    new Set(scopes).size === scopes.length &&
    (expiresAt === null || (typeof expiresAt === "string" && TIME.test(expiresAt))) &&
    Object.keys(others).length === 0;
  if (!isWhole) throw new ContractViolation(`no key: ${Bun.inspect(value)}`);
  return { name, environment, scopes, expiresAt };
}
