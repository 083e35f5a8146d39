import { CommandFailure } from "../cli/errors.ts";
import { Interruption } from "../cli/on-signal.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { reportWaiting } from "../cli/report-waiting.ts";
import { table } from "../cli/table.ts";
import { parseDuration, parseMoment } from "../cli/time.ts";
import type { Config } from "../config/settings.ts";
import { type ApiKey, refusalAt, SCOPES, type Scope } from "../domain/api-key.ts";
import type { Store } from "../domain/store.ts";
import { newKey } from "../service/new-key.ts";
import { openStore } from "../stores/open.ts";
import { storeName } from "../stores/url.ts";

type Options = Record<string, unknown>;

const NAME_MAX = 255;

/** `animal-store keys create`: the key alone on standard output, so that it can be piped. */
export async function createKey(options: Options): Promise<void> {
  const { config } = configOf(options);
  const output = new Output(options);
  const now = Date.now();
  const name = readName(options.name as string);
  const scopes = options.scopes === undefined ? SCOPES : readScopes(options.scopes as string);
  const expiresAt =
    options.expires === undefined ? null : parseMoment(options.expires as string, "--expires", now);
  await withStore(config.DATABASE_URL, output, async (store, interruption) => {
    const { key, stored } = newKey(config.ENVIRONMENT, { name, scopes, createdAt: now, expiresAt });
    interruption.outcome = maybeCreated(config);
    const added = await store.addKey(stored);
    interruption.outcome = created(added, config);
    const may = `may ${scopes.join(", ")} in ${config.ENVIRONMENT}${until(expiresAt)}`;
    await printKey(
      output,
      { ...factsOf(added, config), key },
      `Key ${added.id} (${name}) of ${storeName(config.DATABASE_URL)} ${may}. It is shown only this once.`,
    );
  });
}

/** `animal-store keys list` */
export async function listKeys(options: Options): Promise<void> {
  const { config } = configOf(options);
  const output = new Output(options);
  await withStore(config.DATABASE_URL, output, async (store) => {
    const keys = await store.listKeys();
    const now = Date.now();
    const rows = keys.map((key) => [
      String(key.id),
      key.name,
      key.environment,
      key.scopes.join(","),
      time(key.createdAt),
      key.expiresAt === null ? "never" : time(key.expiresAt),
      stateOf(key, now),
    ]);
    await output.answer(
      keys.map(describeKey),
      table(["ID", "NAME", "ENVIRONMENT", "SCOPES", "CREATED", "EXPIRES", "STATE"], rows),
    );
  });
}

/** `animal-store keys revoke ID` */
export async function revokeKey(id: string, options: Options): Promise<void> {
  const { config } = configOf(options);
  const output = new Output(options);
  const wanted = readId(id);
  await withStore(config.DATABASE_URL, output, async (store, interruption) => {
    interruption.outcome = `Key ${id} of ${storeName(config.DATABASE_URL)} is either revoked or unchanged.`;
    const key = await store.revokeKey(wanted, Date.now());
    if (!key) throw noSuchKey(id);
    interruption.outcome = `Key ${id} of ${storeName(config.DATABASE_URL)} is revoked.`;
    await output.report(
      factsOf(key, config),
      `Key ${key.id} (${key.name}) of ${storeName(config.DATABASE_URL)} is revoked: its next request fails.`,
    );
  });
}

/** `animal-store keys rotate ID`: a successor with the same name and scopes; both work for a while. */
export async function rotateKey(id: string, options: Options): Promise<void> {
  const { config } = configOf(options);
  const output = new Output(options);
  const now = Date.now();
  const wanted = readId(id);
  const grace = parseDuration(options.grace as string, "--grace");
  await withStore(config.DATABASE_URL, output, async (store, interruption) => {
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
    interruption.outcome = maybeCreated(config);
    const added = await store.replaceKey(old.id, stored, now + grace);
    if (!added) {
      // Another command has rotated or removed it meanwhile.
      assertNotRotated(old, await store.listKeys());
      throw noSuchKey(id);
    }
    interruption.outcome = created(added, config);
    const oldEnds = time(Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + grace));
    const ends = expiresAt === null ? "never expires" : `works until ${time(expiresAt)}`;
    await printKey(
      output,
      { ...factsOf(added, config), key, predecessor: { id: old.id, expiresAt: oldEnds } },
      `Key ${added.id} (${added.name}) of ${storeName(config.DATABASE_URL)} follows key ${id} in ${stored.environment}: ` +
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

/** The facts to report about a changed key. */
function factsOf(key: ApiKey, { DATABASE_URL }: Config): Record<string, unknown> {
  return { store: storeName(DATABASE_URL), ...describeKey(key) };
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
function maybeCreated({ DATABASE_URL }: Config): string {
  return `Either no key was created in ${storeName(DATABASE_URL)}, or a key that nobody has seen: \`keys list\` shows it.`;
}

function created({ id }: ApiKey, { DATABASE_URL }: Config): string {
  return `Key ${id} of ${storeName(DATABASE_URL)} was created. If it was not shown, revoke it with \`keys revoke ${id}\`.`;
}

async function withStore(
  url: string,
  output: Output,
  work: (store: Store, interruption: Interruption) => Promise<void>,
): Promise<void> {
  using interruption = new Interruption(`The keys of ${storeName(url)} are unchanged.`);
  const store = await openStore(url, Date.now, {
    access: "existing",
    emit: reportWaiting(output),
    patient: true,
  });
  try {
    await work(store, interruption);
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
  const timeOrNull = (at: number | null) => (at === null ? null : time(at));
  return {
    id,
    line,
    name,
    environment,
    scopes,
    createdAt: time(createdAt),
    expiresAt: timeOrNull(expiresAt),
    revokedAt: timeOrNull(revokedAt),
  };
}

function stateOf(key: ApiKey, now: number): string {
  return refusalAt(key, now) ?? "valid";
}

function until(expiresAt: number | null): string {
  return expiresAt === null ? "" : ` until ${time(expiresAt)}`;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
