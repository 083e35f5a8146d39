import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CommandFailure } from "../cli/errors.ts";
import { refuseStoreItself } from "../cli/same-file.ts";
import type { Config } from "../config/settings.ts";
import { refusalAt, SCOPES } from "../domain/api-key.ts";
import type { Event } from "../domain/event.ts";
import type { Store } from "../domain/store.ts";
import { fileOfStore, hidePassword } from "../stores/url.ts";
import { newKey } from "./new-key.ts";

/** Gives an empty store its first key, and returns what is to be told of it, where the configuration says. */
export async function issueFirstKey(
  store: Store,
  { FIRST_KEY, ENVIRONMENT, DATABASE_URL }: Config,
  address: string,
): Promise<Event | undefined> {
  if (FIRST_KEY === "none" || (await store.listKeys()).length > 0) return undefined;
  const life = { name: "first key", scopes: SCOPES, createdAt: Date.now(), expiresAt: null };
  const { key, stored } = newKey(ENVIRONMENT, life);
  if (FIRST_KEY === "print") {
    // In quotes, since a shell may read something into the brackets of an IPv6 address.
    const example = `curl -H 'Authorization: Bearer ${key}' '${address}/v1/pets'`;
    return (await store.addFirstKey(stored)) ? { event: "first_key_issued", key, example } : undefined;
  }
  refuseStoreItself(FIRST_KEY, DATABASE_URL);
  if (existsSync(FIRST_KEY) && !statSync(FIRST_KEY).isDirectory()) {
    // Another instance on this store may have written it just now.
    if ((await store.listKeys()).length > 0) return undefined;
    throw new CommandFailure(
      `FIRST_KEY names ${FIRST_KEY}, which exists already: it is not overwritten. Remove it, or name another file.`,
    );
  }
  const added = await writeThenAdd(FIRST_KEY, key, () => store.addFirstKey(stored));
  return added ? { event: "first_key_written", file: FIRST_KEY } : undefined;
}

/** What is to be told of a store that has no key which works in this environment now. */
export async function findUnusableKeys(
  store: Store,
  { ENVIRONMENT, DATABASE_URL }: Config,
): Promise<Event | undefined> {
  const now = Date.now();
  const keys = await store.listKeys();
  const lasting = keys.filter((key) => refusalAt(key, now) === undefined);
  if (lasting.some(({ environment }) => (environment ?? ENVIRONMENT) === ENVIRONMENT)) return undefined;
  const ended = keys.length === 0 ? "the store has no API key" : "every API key of the store has ended";
  const others = `every API key of the store that has not ended is for ${lasting[0]?.environment}, and this is ${ENVIRONMENT}`;
  const file = fileOfStore(DATABASE_URL);
  const create = `animal-store keys create --name NAME --environment ${ENVIRONMENT}`;
  const command =
    file === undefined
      ? `DATABASE_URL=${quoteForShell(hidePassword(DATABASE_URL))} ${create}`
      : `${create} --database sqlite:${quoteForShell(resolve(file))}`;
  return { event: "no_usable_key", reason: lasting.length > 0 ? others : ended, command };
}

function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Adds a key only when it is safely in its file, and leaves no file behind for a key that was not added. */
async function writeThenAdd(file: string, key: string, add: () => Promise<boolean>): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  let added = false;
  try {
    writeDraft(draft, file, key);
    added = await add();
  } finally {
    if (!added && existsSync(draft)) rmSync(draft);
  }
  if (added) renameSync(draft, file);
  return added;
}

function writeDraft(draft: string, file: string, key: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error("it is a folder");
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new CommandFailure(`FIRST_KEY cannot be written to ${file}: ${(error as Error).message}`, 1, {
      cause: error,
    });
  }
}
