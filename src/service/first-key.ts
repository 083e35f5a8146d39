import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Config } from "../config/settings.ts";
import { refusalAt, SCOPES } from "../domain/api-key.ts";
import type { Store } from "../domain/store.ts";
import type { Observation } from "../observations/observation.ts";
import { AtomicFile } from "../process/atomic-file.ts";
import { CommandFailure, cannotWrite } from "../process/errors.ts";
import { assertNotOfStore } from "../process/same-file.ts";
import { quoteForShell } from "../process/shell.ts";
import { fileOfStore, hidePassword } from "../stores/url.ts";
import { newKey } from "./new-key.ts";

/** Gives an empty store its first key, unless the configuration says otherwise; returns the event to emit. */
export async function issueFirstKey(
  store: Store,
  { FIRST_KEY, ENVIRONMENT }: Config,
  address: string,
): Promise<Observation | undefined> {
  if (FIRST_KEY === "none" || (await store.listKeys()).length > 0) return undefined;
  const life = { name: "first key", scopes: SCOPES, createdAt: Date.now(), expiresAt: null };
  const { key, stored } = newKey(ENVIRONMENT, life);
  if (FIRST_KEY === "print") {
    // In quotes: a shell may interpret the brackets of an IPv6 address.
    const example = `curl -H 'Authorization: Bearer ${key}' '${address}/v1/pets'`;
    return (await store.addFirstKey(stored)) ? { event: "first_key_issued", key, example } : undefined;
  }
  assertNotOfStore(FIRST_KEY, "write");
  if (existsSync(FIRST_KEY) && !statSync(FIRST_KEY).isDirectory()) {
    // Another instance on this store may have just written it.
    if ((await store.listKeys()).length > 0) return undefined;
    throw new CommandFailure(
      `FIRST_KEY names ${FIRST_KEY}, which already exists and is never overwritten. Remove it, or name another file.`,
    );
  }
  using file = writeKey(FIRST_KEY, key);
  // The key must be on disk before the store knows it, and must not appear under its name if the store refuses it.
  if (!(await store.addFirstKey(stored))) return undefined;
  try {
    file.publish();
  } catch (error) {
    throw unwritten(
      FIRST_KEY,
      error,
      " Nobody has seen the store's first key: find it with `keys list`, and revoke it.",
    );
  }
  return { event: "first_key_written", file: FIRST_KEY };
}

function writeKey(path: string, key: string): AtomicFile {
  let file: AtomicFile | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    file = new AtomicFile(path, { replace: true });
    writeFileSync(file.path, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
    return file;
  } catch (error) {
    file?.[Symbol.dispose]();
    throw unwritten(path, error);
  }
}

function unwritten(path: string, error: unknown, advice = ""): CommandFailure {
  const { message } = cannotWrite(path, error) as Error;
  return new CommandFailure(`FIRST_KEY: ${message}${advice}`, 1, { cause: error });
}

/** Returns an event if the store has no key that works in this environment now. */
export async function findUnusableKeys(
  store: Store,
  { ENVIRONMENT, DATABASE_URL }: Config,
): Promise<Observation | undefined> {
  const now = Date.now();
  const keys = await store.listKeys();
  const valid = keys.filter((key) => refusalAt(key, now) === undefined);
  if (valid.some(({ environment }) => environment === ENVIRONMENT)) return undefined;
  const reason =
    keys.length === 0
      ? "the store has no API key"
      : valid.length === 0
        ? "every API key of the store has ended"
        : `every valid API key of the store is for ${valid[0]?.environment}, and this service is ${ENVIRONMENT}`;
  const file = fileOfStore(DATABASE_URL);
  const create = `animal-store keys create --name NAME --environment ${ENVIRONMENT}`;
  const command =
    file === undefined
      ? `DATABASE_URL=${quoteForShell(hidePassword(DATABASE_URL))} ${create}`
      : `${create} --database sqlite:${quoteForShell(resolve(file))}`;
  return { event: "no_usable_key", reason, command };
}
