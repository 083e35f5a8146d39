import { CommandFailure } from "../cli/errors.ts";
import { Interruption } from "../cli/on-signal.ts";
import type { Output } from "../cli/output.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { table } from "../cli/table.ts";
import { parseDuration, parseMoment } from "../cli/time.ts";
import type { Config } from "../config/settings.ts";
import { type ApiKey, refusalAt, SCOPES, type Scope } from "../domain/api-key.ts";
import type { Store } from "../domain/store.ts";
import { rfc3339 } from "../domain/time.ts";
import { newKey } from "../service/new-key.ts";
import { openStore } from "../stores/open.ts";

const NAME_MAX = 255;

/** `animal-store keys create`: the key alone on standard output, so that it can be piped. */
export async function createKey(options: Options): Promise<void> {
  const now = Date.now();
  const name = readName(options.name as string);
  const scopes = options.scopes === undefined ? SCOPES : readScopes(options.scopes as string);
  const expiresAt =
    options.expires === undefined ? null : parseMoment(options.expires as string, "--expires", now);
  await withKeys(options, async ({ config, output, storeName, store, interruption }) => {
    const { key, stored } = newKey(config.ENVIRONMENT, { name, scopes, createdAt: now, expiresAt });
    interruption.outcome = maybeCreated(storeName);
    const added = await store.addKey(stored);
    interruption.outcome = created(added, storeName);
    const until = expiresAt === null ? "" : ` until ${rfc3339(expiresAt)}`;
    await printKey(
      output,
      { store: storeName, ...describeKey(added), key },
      `Key ${added.id} (${name}) of ${storeName} may ${scopes.join(", ")} in ${config.ENVIRONMENT}${until}. ` +
        "It is shown only this once.",
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
      refusalAt(key, now) ?? "valid",
    ]);
    await output.answer(
      keys.map(describeKey),
      table(["ID", "NAME", "ENVIRONMENT", "SCOPES", "CREATED", "EXPIRES", "STATE"], rows),
    );
  });
}

/** `animal-store keys revoke ID` */
export async function revokeKey(id: string, options: Options): Promise<void> {
  const wanted = readId(id);
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
  const wanted = readId(id);
  const grace = parseDuration(options.grace as string, "--grace");
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
    await printKey(
      output,
      { store: storeName, ...describeKey(added), key, predecessor: { id: old.id, expiresAt: oldEnds } },
      `Key ${added.id} (${added.name}) of ${storeName} follows key ${id} in ${stored.environment}: ` +
        `key ${id} works until ${oldEnds}, key ${added.id} ${ends}. It is shown only this once.`,
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

/** Prints a key, alone or with its facts, and then an explanation. */
async function printKey(
  output: Output,
  facts: Readonly<Record<string, unknown>>,
  explanation: string,
): Promise<void> {
  const { id, key } = facts;
  try {
    await output.answer(facts, `${key}\n`);
  } catch (error) {
    const advice = `Nobody has seen key ${id}: revoke it with \`keys revoke ${id}\`.`;
    throw new CommandFailure(`${(error as Error).message}. ${advice}`, 1, { cause: error });
  }
  await output.explain(explanation);
}

/** The outcome of a command that is interrupted while the store adds the key. */
function maybeCreated(storeName: string): string {
  return `Either no key was created in ${storeName}, or a key that nobody has seen: \`keys list\` shows it.`;
}

function created({ id }: ApiKey, storeName: string): string {
  return `Key ${id} of ${storeName} was created. If it was not shown, revoke it with \`keys revoke ${id}\`.`;
}

/** One run of a command on the keys of a store. */
interface Run {
  readonly config: Config;
  readonly output: Output;
  readonly storeName: string;
  readonly store: Store;
  readonly interruption: Interruption;
}

async function withKeys(options: Options, work: (run: Run) => Promise<void>): Promise<void> {
  const { config, output, storeName } = new StoreCommand(options);
  using interruption = new Interruption(`The keys of ${storeName} are unchanged.`);
  const store = await openStore(config.DATABASE_URL, Date.now, {
    access: "existing",
    emit: reportWaiting(output),
    patient: true,
  });
  try {
    await work({ config, output, storeName, store, interruption });
  } finally {
    await store.close();
  }
}

function readName(name: string): string {
  if (name.trim() === "" || name.length > NAME_MAX || /\p{Cc}/u.test(name)) {
    throw new CommandFailure(
      `--name must have 1 to ${NAME_MAX} characters, not only spaces and no control characters.`,
      2,
    );
  }
  return name;
}

function readScopes(text: string): Scope[] {
  const given = text.split(",").map((name) => name.trim());
  const unknown = given.find((name) => !SCOPES.some((scope) => scope === name));
  if (unknown === undefined) return SCOPES.filter((scope) => given.includes(scope));
  throw new CommandFailure(
    `--scopes names ${JSON.stringify(unknown)}; it must be some of ${SCOPES.join(",")}, separated by commas.`,
    2,
  );
}

function readId(id: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(id)) return Number(id);
  throw new CommandFailure(`${JSON.stringify(id)} is not a key's id; \`keys list\` shows the ids.`, 2);
}

function noSuchKey(id: string): CommandFailure {
  return new CommandFailure(`There is no key ${id}; \`keys list\` shows all keys.`);
}

function describeKey(key: ApiKey): Record<string, unknown> {
  const { id, line, environment, name, scopes, createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    line,
    name,
    environment,
    scopes,
    createdAt: rfc3339(createdAt),
    expiresAt: expiresAt === null ? null : rfc3339(expiresAt),
    revokedAt: revokedAt === null ? null : rfc3339(revokedAt),
  };
}
