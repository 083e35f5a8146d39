import type { Database } from "bun:sqlite";
import { chmodSync, chownSync, existsSync, renameSync, statSync } from "node:fs";
import { refusalAt } from "../../../domain/api-key.ts";
import type { StoredKey } from "../../../domain/transfer.ts";
import { UnusableStore } from "../../errors.ts";
import { addStoredKey, endEarlier, storedKeys } from "../api-keys.ts";
import { openDatabase } from "../connection.ts";
import { findCursorSecret } from "../cursor-secret.ts";
import { expirePositions } from "../events.ts";
import { PERMISSIONS } from "../file.ts";
import { migrate } from "../migrate.ts";
import { CLIENT_TABLES, lastIdOf, lastIdsOf, raiseLastId } from "../sequence.ts";
import { moveCompanions } from "../store-files.ts";
import { renewIdentity } from "../store-identity.ts";
import { type Knowledge, RestoreTarget } from "./restore-target.ts";

/** The outcome of a restore. */
export interface Restored {
  readonly nextAnimalId: bigint;
  readonly nextOrderId: bigint;
  /** Where the replaced store is now; `undefined` if there was none. */
  readonly replacedPath: string | undefined;
  /** The outcome for the keys; `undefined` if no later state of the backup's store is known, so that they are as in the backup. */
  readonly keys: KeyOutcome | undefined;
}

interface KeyOutcome {
  /** How many keys made since the backup still work. */
  readonly kept: number;
  /** How many keys that were revoked or expired since the backup stay so, be they in it or made since. */
  readonly ended: number;
}

export interface RestoreOptions {
  /** The path of a checked copy of the backup, in the folder of the store. */
  readonly temporary: string;
  /** The path of the store to replace or to create. */
  readonly store: string;
  /** The name of the backup in messages. */
  readonly backup: string;
  /** Where to keep the replaced store. */
  readonly replacedPath: string;
  /** The least id that the next animal, order or event may get. */
  readonly idsFrom: bigint | undefined;
  /** Called when the temporary file is complete: syncs it to the disk. */
  readonly sync: (path: string) => void;
}

/**
 * Replaces a store by the copy of a backup. New ids start above every id that the replaced store has given. The keys
 * of the replaced store stay as they are: a key that was revoked since the backup stays revoked.
 *
 * @throws UnusableStore
 */
export function restore(options: RestoreOptions): Restored {
  const { store, temporary, replacedPath, idsFrom, sync } = options;
  if (!existsSync(store)) {
    if (idsFrom === undefined) throw unknownIds(options, `there is no store ${store} to tell`);
    const adjusted = adjust(temporary, undefined, idsFrom);
    sync(temporary);
    moveCompanions(store, replacedPath);
    renameSync(temporary, store);
    return { ...adjusted, replacedPath: undefined };
  }
  using replaced = new RestoreTarget(store);
  const { knowledge } = replaced;
  if (idsFrom === undefined && knowledge === undefined)
    throw unknownIds(options, `${store} cannot be read to tell`);
  if (idsFrom === undefined && knowledge && !isSameStore(temporary, knowledge)) {
    throw unknownIds(options, `${store} is not the store that was backed up, so it cannot tell`);
  }
  const adjusted = adjust(temporary, knowledge, idsFrom);
  ownAs(temporary, store);
  sync(temporary);
  replaced.replaceBy(temporary, replacedPath);
  return { ...adjusted, replacedPath };
}

function unknownIds({ backup, temporary }: RestoreOptions, why: string): UnusableStore {
  using database = openDatabase(temporary);
  const { animal, store_order, event } = lastIdsOf(database);
  const last = [animal, store_order, event].reduce((one, other) => (one > other ? one : other));
  return new UnusableStore(
    `${why} which ids were given after ${backup} was made, and none may be given twice. Say --ids-from N ` +
      `with an N above all of them, be it of animals, orders or events (at least ${last + 1n}, where nothing was added since).`,
  );
}

/** The secret of its cursors identifies a store. A store that never served has no secret, and no clients. */
function isSameStore(temporary: string, { secret }: Knowledge): boolean {
  using database = openDatabase(temporary);
  const own = findCursorSecret(database);
  return own === undefined || (secret !== undefined && Buffer.compare(own, secret) === 0);
}

function adjust(
  temporary: string,
  knowledge: Knowledge | undefined,
  idsFrom: bigint | undefined,
): Omit<Restored, "replacedPath"> {
  const isSame = knowledge !== undefined && isSameStore(temporary, knowledge);
  using database = openDatabase(temporary);
  // The keys of the replaced store may have more columns than the keys of an earlier backup.
  migrate(database, temporary);
  return database
    .transaction(() => {
      for (const table of CLIENT_TABLES) {
        raiseLastId(database, table, (idsFrom ?? 1n) - 1n);
        raiseLastId(database, table, knowledge?.lastIds[table] ?? 0n);
      }
      renewIdentity(database);
      // Readers of the feed may have seen changes that the restore undoes.
      expirePositions(database);
      const keys = knowledge && bringKeys(database, knowledge.keys, isSame);
      raiseLastId(database, "api_key", knowledge?.lastKeyId ?? 0n);
      return {
        nextAnimalId: lastIdOf(database, "animal") + 1n,
        nextOrderId: lastIdOf(database, "store_order") + 1n,
        keys: isSame ? keys : undefined,
      };
    })
    .immediate();
}

/** @param isSame whether `later` are the keys of the same store: then keys made since the backup are kept too */
function bringKeys(database: Database, later: readonly StoredKey[], isSame: boolean): KeyOutcome {
  const earlier = new Map(storedKeys(database).map((key) => [Buffer.from(key.hash).toString("hex"), key]));
  const now = Date.now();
  let kept = 0;
  let ended = 0;
  for (const key of later) {
    const isUsable = refusalAt(key, now) === undefined;
    if (earlier.has(Buffer.from(key.hash).toString("hex"))) {
      const changed = endEarlier(database, key);
      // A rotated key still works for a while.
      if (!isUsable) ended += changed;
    } else if (isSame) {
      addStoredKey(database, key);
      if (isUsable) kept++;
      else ended++;
    }
  }
  return { kept, ended };
}

/** Root may restore a store that another user serves or a group shares: they must still be able to write it. */
function ownAs(temporary: string, store: string): void {
  const { uid, gid, mode } = statSync(store);
  const own = statSync(temporary);
  if (own.uid !== uid || own.gid !== gid) chownSync(temporary, uid, gid);
  chmodSync(temporary, mode & PERMISSIONS);
}
