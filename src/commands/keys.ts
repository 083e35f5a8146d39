import type { Options } from "../cli/store-command.ts";
import { table } from "../cli/table.ts";
import { type ApiKey, refusalAt, SCOPES } from "../domain/api-key.ts";
import { rfc3339 } from "../domain/time.ts";
import { CommandFailure } from "../process/errors.ts";
import { newKey } from "../service/new-key.ts";
import { readKeyId, readName, readScopes } from "./keys/options.ts";
import {
  assertKeyIsShown,
  created,
  describeKey,
  describeListedKey,
  lastUsedOn,
  maybeCreated,
  printNewKey,
} from "./keys/report.ts";
import { parseDuration, parseMoment } from "./keys/time.ts";
import { withKeys } from "./keys/with-keys.ts";

/** `animal-store keys create`: the key alone on standard output, so that it can be piped. */
export async function createKey(options: Options): Promise<void> {
  const now = Date.now();
  const name = readName(options.name as string);
  const scopes = options.scopes === undefined ? SCOPES : readScopes(options.scopes as string);
  const expiresAt =
    options.expires === undefined ? null : parseMoment(options.expires as string, "--expires", now);
  assertKeyIsShown();
  await withKeys(options, async ({ config, output, storeName, store, interruption }) => {
    const { key, stored } = newKey(config.ENVIRONMENT, { name, scopes, createdAt: now, expiresAt });
    interruption.outcome = maybeCreated(storeName);
    const added = await store.addKey(stored);
    interruption.outcome = created(added, storeName);
    const until = expiresAt === null ? "" : ` until ${rfc3339(expiresAt)}`;
    await printNewKey(
      output,
      { store: storeName, ...describeKey(added), key },
      `Key ${added.id} (${name}) of ${storeName} may ${scopes.join(", ")} in ${config.ENVIRONMENT}${until}.`,
    );
  });
}

/** `animal-store keys list` */
export async function listKeys(options: Options): Promise<void> {
  await withKeys(options, async ({ output, store }) => {
    const keys = await store.listKeys();
    const now = Date.now();
    const rows = keys.map((key) => [
      String(key.id),
      key.name,
      key.environment,
      key.scopes.join(","),
      rfc3339(key.createdAt),
      key.expiresAt === null ? "never" : rfc3339(key.expiresAt),
      lastUsedOn(key) ?? "never",
      refusalAt(key, now) ?? "valid",
    ]);
    await output.answer(
      keys.map(describeListedKey),
      table(["ID", "NAME", "ENVIRONMENT", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "STATE"], rows),
    );
  });
}

/** `animal-store keys revoke ID` */
export async function revokeKey(id: string, options: Options): Promise<void> {
  const wanted = readKeyId(id);
  await withKeys(options, async ({ output, storeName, store, interruption }) => {
    interruption.outcome = `Key ${id} of ${storeName} is either revoked or unchanged.`;
    const key = await store.revokeKey(wanted, Date.now());
    if (!key) throw noSuchKey(id);
    interruption.outcome = `Key ${id} of ${storeName} is revoked.`;
    await output.report(
      { store: storeName, ...describeKey(key) },
      `Key ${key.id} (${key.name}) of ${storeName} is revoked: its next request fails.`,
    );
  });
}

/** `animal-store keys rotate ID`: a successor with the same name and scopes; both work for a while. */
export async function rotateKey(id: string, options: Options): Promise<void> {
  const now = Date.now();
  const wanted = readKeyId(id);
  const grace = parseDuration(options.grace as string, "--grace");
  assertKeyIsShown();
  await withKeys(options, async ({ output, storeName, store, interruption }) => {
    const keys = await store.listKeys();
    const old = keys.find((key) => key.id === wanted);
    if (!old) throw noSuchKey(id);
    assertNotRotated(old, keys);
    const refusal = refusalAt(old, now);
    if (refusal) {
      throw new CommandFailure(`Key ${id} is ${refusal}; create a new one with \`keys create\`.`);
    }
    // The successor of a key that was created for 90 days is valid for 90 days.
    const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
    const life = { name: old.name, scopes: old.scopes, createdAt: now, expiresAt };
    const { key, stored } = newKey(old.environment, life);
    interruption.outcome = maybeCreated(storeName);
    const added = await store.replaceKey(old.id, stored, now + grace);
    if (!added) {
      // Another command has rotated or removed it meanwhile.
      assertNotRotated(old, await store.listKeys());
      throw noSuchKey(id);
    }
    interruption.outcome = created(added, storeName);
    const oldEnds = rfc3339(Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + grace));
    const ends = expiresAt === null ? "never expires" : `works until ${rfc3339(expiresAt)}`;
    await printNewKey(
      output,
      { store: storeName, ...describeKey(added), key, predecessor: { id: old.id, expiresAt: oldEnds } },
      `Key ${added.id} (${added.name}) of ${storeName} follows key ${id} in ${stored.environment}: ` +
        `key ${id} works until ${oldEnds}, key ${added.id} ${ends}.`,
    );
  });
}

/**
 * Refuses to rotate a key twice: its lifetime is no longer known, since it ends with the grace period, and two successors
 * would share the idempotency records of one client.
 */
function assertNotRotated(old: ApiKey, keys: readonly ApiKey[]): void {
  const followers = keys.filter(({ line, id }) => line === old.line && id > old.id);
  const [successor, last] = [followers[0], followers.at(-1)];
  if (successor === undefined || last === undefined) return;
  throw new CommandFailure(
    `Key ${old.id} was already rotated: key ${successor.id} is its successor. ` +
      `Rotate key ${last.id}, the latest successor, or create a new key with \`keys create\`.`,
  );
}

function noSuchKey(id: string): CommandFailure {
  return new CommandFailure(`There is no key ${id}; \`keys list\` shows all keys.`);
}
