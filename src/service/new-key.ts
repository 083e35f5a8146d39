import { generateApiKey, hashApiKey, type NewApiKey } from "../domain/api-key.ts";
import type { Environment } from "../domain/environment.ts";

/** Generates an API key, and the record that the store keeps of it: its hash, never the key. */
export function newKey(
  environment: Environment,
  life: Omit<NewApiKey, "hash" | "environment">,
): { readonly key: string; readonly stored: NewApiKey } {
  const key = generateApiKey(environment, (length) => crypto.getRandomValues(new Uint8Array(length)));
  return { key, stored: { ...life, environment, hash: hashApiKey(key) } };
}
