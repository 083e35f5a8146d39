import { generateApiKey, hashApiKey, SCOPES, type Scope } from "../src/domain/api-key.ts";
import type { Store } from "../src/domain/store.ts";

/** The environment of every sandbox: its keys begin with `as_test_`. */
export const SANDBOX_ENVIRONMENT = "staging";

/** An API key that every sandbox has. It is not a secret, since no service opens a sandbox's store. */
export interface SandboxKey {
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly Scope[];
  readonly state: "valid" | "expired" | "revoked";
}

const READ_SCOPES: readonly Scope[] = ["pets:read", "orders:read", "events:read"];

/** These keys are the same in every release, so that tests may hold them. */
export const SANDBOX_KEYS: readonly [SandboxKey, ...SandboxKey[]] = [
  key("all scopes", "as_test_SandboxAllScopes000000000000003Gqvay", SCOPES),
  // A second client: idempotency records belong to a key.
  key("another client", "as_test_SandboxOtherClient00000000000028aSSy", SCOPES),
  key("read only", "as_test_SandboxReadOnly0000000000000004GlHbf", READ_SCOPES),
  key("animals only", "as_test_SandboxPetsOnly0000000000000003aWZMz", ["pets:read", "pets:write"]),
  key("no scopes", "as_test_SandboxNoScopes0000000000000000cdsa4", []),
  key("expired", "as_test_SandboxExpired00000000000000001Q6kL4", SCOPES, "expired"),
  key("revoked", "as_test_SandboxRevoked000000000000000044Yik1", SCOPES, "revoked"),
];

export const KEY_NAMES = SANDBOX_KEYS.map(({ name }) => name) as [string, ...string[]];

/** Keys of a space of its own: as many as the fixed ones, with their names, scopes and states. */
export function newKeys(): readonly [SandboxKey, ...SandboxKey[]] {
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const [first, ...others] = SANDBOX_KEYS;
  const alike = (fixed: SandboxKey) => ({ ...fixed, key: generateApiKey(SANDBOX_ENVIRONMENT, random) });
  return [alike(first), ...others.map(alike)];
}

function key(
  name: string,
  key: string,
  scopes: readonly Scope[],
  state: SandboxKey["state"] = "valid",
): SandboxKey {
  return { name, key, scopes, state };
}

/** Before any time that a developer is likely to set the clock to. */
const LONG_AGO = Date.UTC(2000, 0, 1);

/** Adds the keys that a sandbox's store lacks. */
export async function addSandboxKeys(store: Store): Promise<void> {
  for (const { name, key, scopes, state } of SANDBOX_KEYS) {
    const hash = hashApiKey(key);
    const expiresAt = state === "expired" ? LONG_AGO : null;
    const life = { environment: SANDBOX_ENVIRONMENT, name, scopes, createdAt: LONG_AGO, expiresAt } as const;
    const { id, revokedAt } = (await store.findKey(hash)) ?? (await store.addKey({ ...life, hash }));
    if (state === "revoked" && revokedAt === null) await store.revokeKey(id, LONG_AGO);
  }
}
