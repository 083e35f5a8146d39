import { Database } from "bun:sqlite";
import { chmodSync, chownSync, existsSync, renameSync, statSync } from "node:fs";
import type { StoredKey } from "../../../domain/transfer.ts";
import { UnusableStore } from "../../errors.ts";
import { addStoredKey, endEarlier, storedKeys } from "../api-keys.ts";
import { expirePositions } from "../feed.ts";
import { PERMISSIONS } from "../file.ts";
import { migrate } from "../migrate.ts";
import { CLIENT_TABLES, lastIdOf, lastIdsOf, raiseLastId } from "../sequence.ts";
import { type Knowledge, RestoreTarget, secretOf, setLogAside } from "./restore-target.ts";

/** What a restore has done. */
export interface Restored {
  readonly nextAnimalId: bigint;
  readonly nextOrderId: bigint;
  /** Where the replaced store is now; `undefined` where there was none. */
  readonly aside: string | undefined;
  /** What became of the keys; `undefined` where the replaced store could not tell. */
  readonly keys: KeyOutcome | undefined;
}

interface KeyOutcome {
  /** Made since the backup, and kept. */
  readonly kept: number;
  /** Ended since the backup, and left so. */
  readonly ended: number;
}

export interface RestoreOptions {
  /** The copy of a backup, checked, beside the store. */
  readonly draft: string;
  /** The store to replace, or to make. */
  readonly store: string;
  /** What the backup is called in messages. */
  readonly backup: string;
  /** Where the replaced store is to be kept. */
  readonly aside: string;
  /** The least id that may be given next to an animal, an order or an event. */
  readonly idsFrom: bigint | undefined;
  /** Called when the draft is complete: brings it onto the disk. */
  readonly sync: (path: string) => void;
}

/**
 * Puts the copy of a backup in the place of a store. Ids go on above those that the replaced store has
 * given, and its keys stay as they are: what was revoked since the backup is not valid again.
 *
 * @throws UnusableStore
 */
export function restore(options: RestoreOptions): Restored {
  const { store, draft, aside, idsFrom, sync } = options;
  if (!existsSync(store)) {
    if (idsFrom === undefined) throw unknownIds(options, `there is no store ${store} to tell`);
    const adjusted = adjust(draft, undefined, idsFrom);
    sync(draft);
    setLogAside(store, aside);
    renameSync(draft, store);
    return { ...adjusted, aside: undefined };
  }
  using replaced = new RestoreTarget(store);
  const { knowledge } = replaced;
  if (idsFrom === undefined && knowledge === undefined)
    throw unknownIds(options, `${store} cannot be read to tell`);
  if (idsFrom === undefined && knowledge && !isSameStore(draft, knowledge)) {
    throw unknownIds(options, `${store} is another store than the one that was backed up, so it cannot tell`);
  }
  const adjusted = adjust(draft, knowledge, idsFrom);
  ownAs(draft, store);
  sync(draft);
  replaced.replaceBy(draft, aside);
  return { ...adjusted, aside };
}

function unknownIds({ backup, draft }: RestoreOptions, why: string): UnusableStore {
  using database = open(draft);
  const { animal, store_order, event } = lastIdsOf(database);
  const last = [animal, store_order, event].reduce((one, other) => (one > other ? one : other));
  return new UnusableStore(
    `${why} which ids were given after ${backup} was made, and none may be given twice. Say --ids-from N ` +
      `with an N above all of them, be it of animals, orders or events (at least ${last + 1n}, where nothing was added since).`,
  );
}

/** Stores are told apart by the secret of their cursors; one that never served has none, and no clients. */
function isSameStore(draft: string, { secret }: Knowledge): boolean {
  using database = open(draft);
  const own = secretOf(database);
  return own === undefined || (secret !== undefined && Buffer.compare(own, secret) === 0);
}

function adjust(
  draft: string,
  knowledge: Knowledge | undefined,
  idsFrom: bigint | undefined,
): Omit<Restored, "aside"> {
  const isSame = knowledge !== undefined && isSameStore(draft, knowledge);
  using database = open(draft);
  // The keys of the replaced store may have more columns than the keys of an earlier backup.
  migrate(database, draft);
  return database
    .transaction(() => {
      for (const table of CLIENT_TABLES) {
        raiseLastId(database, table, (idsFrom ?? 1n) - 1n);
        raiseLastId(database, table, knowledge?.lastIds[table] ?? 0n);
      }
      // Readers of the feed may have seen changes that are undone now.
      expirePositions(database);
      const keys = knowledge && bringKeys(database, knowledge.keys, isSame);
      raiseLastId(database, "api_key", knowledge?.lastKeyId ?? 0n);
      return {
        nextAnimalId: lastIdOf(database, "animal") + 1n,
        nextOrderId: lastIdOf(database, "store_order") + 1n,
        keys,
      };
    })
    .immediate();
}

/** @param isSame whether they are the keys of this very store, later: then new ones are kept too */
function bringKeys(database: Database, later: readonly StoredKey[], isSame: boolean): KeyOutcome {
  const earlier = new Map(storedKeys(database).map((key) => [Buffer.from(key.hash).toString("hex"), key]));
  let kept = 0;
  let ended = 0;
  for (const key of later) {
    if (earlier.has(Buffer.from(key.hash).toString("hex"))) ended += endEarlier(database, key);
    else if (isSame) {
      addStoredKey(database, key);
      kept++;
    }
  }
  return { kept, ended };
}

/** Root may restore what another user serves, and a group may share: both must be able to write. */
function ownAs(draft: string, store: string): void {
  const { uid, gid, mode } = statSync(store);
  const own = statSync(draft);
  if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid);
  chmodSync(draft, mode & PERMISSIONS);
}

function open(file: string): Database {
  return new Database(file, { readwrite: true, create: false, safeIntegers: true, strict: true });
}
