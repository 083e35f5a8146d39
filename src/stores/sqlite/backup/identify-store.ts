import { UnusableStore } from "../../errors.ts";
import { connect } from "../connection.ts";
import { findIdentity, renewIdentity } from "../store-identity.ts";
import { withWriteLock } from "../write-lock.ts";

/**
 * The identity of the store in a file. If the file was made as a backup, and has become a store by being opened as such, it
 * gets an identity of its own first.
 */
export function identifyStore(file: string): string {
  using database = connect(file);
  const found = findIdentity(database);
  if (found && found.backedUpAt === undefined) return found.id;
  if (found) withWriteLock(database, () => renewIdentity(database));
  const { id } = findIdentity(database) ?? {};
  if (id === undefined)
    throw new UnusableStore(`${file} has no identity: its schema is from an older version.`);
  return id;
}
