import type { Mutant } from "../mutant.ts";

const BACKUPS = "test/commands/backup.test.ts";
const TESTS = "test/faults/files-of-a-store.test.ts";

export const FILES: readonly Mutant[] = [
  {
    breaks: "backups of another store, which a service deletes",
    file: "src/service/backups.ts",
    from: "stores[index] === this.#identity",
    to: "stores.length > index",
    noticedBy: BACKUPS,
    title:
      "of two stores in one folder do not delete each other's, even if the stores have the same file name",
  },
  {
    breaks: "the look, at the start of a service, whether backups can be written",
    file: "src/service/backups.ts",
    from: "accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)",
    to: "accessSync(folder, constants.R_OK)",
    noticedBy: BACKUPS,
    title: "to a folder that may not be written to are reported at start with WORKERS=1, though none is due",
  },
  {
    breaks: "a full disk that keeps the temporary table from being removed, and hides the error before",
    file: "src/stores/sqlite/bulk/staged-rows.ts",
    from: "if (!isTransient(error)) throw error;",
    to: "throw error;",
    noticedBy: "test/commands/full-disk.test.ts",
    title: "a full disk: `seed --count 60000` names the store and says what to do, in one line",
  },
  {
    breaks: "a restored store with the identity of the store that was backed up",
    file: "src/stores/sqlite/backup/restore.ts",
    from: "      renewIdentity(database);\n",
    to: "",
    noticedBy: BACKUPS,
    title: "is in its backups, and changes when a backup is restored",
  },
  {
    breaks: "a restored store that a command writes over before it is opened",
    file: "src/stores/sqlite/store-files.ts",
    from: "return identity !== undefined && identity.backedUpAt === undefined;",
    to: "return identity === null;",
    noticedBy: BACKUPS,
    title: "is in its backups, and changes when a backup is restored",
  },
  {
    breaks: "a command that writes over the log of a store",
    file: "src/stores/sqlite/store-files.ts",
    from: "if (database !== undefined && findFile(database)?.isFile()) return",
    to: "if (database === path) return",
    noticedBy: TESTS,
    title: "backup --force targets a file of a store",
  },
  {
    breaks: "a command that writes over another store",
    file: "src/stores/sqlite/store-files.ts",
    from: 'return isStore(path) ? "it is a store" : undefined;',
    to: "return undefined;",
    noticedBy: TESTS,
    title: "export --force targets a file of a store",
  },
  {
    breaks: "a backup beside an old log",
    file: "src/stores/sqlite/store-files.ts",
    from: "if (companion !== undefined) {",
    to: "if (companion === path) {",
    noticedBy: TESTS,
    title: "is not written beside an old -wal, which SQLite would apply to it",
  },
  {
    breaks: "a restore that looks for the log beside a link",
    file: "src/stores/sqlite/backup/backup-file.ts",
    from: "const companion = companionsOf(behindLink(path))[0];\n  if (companion !== undefined || header.hasLog) {",
    to: "const companion = companionsOf(path)[0];\n  if (companion !== undefined) {",
    noticedBy: TESTS,
    title: "restore from a symbolic link sees the log beside the file that the link leads to",
  },
  {
    breaks: "a database that is opened under two names",
    file: "src/stores/sqlite/store-files.ts",
    from: "if (nlink === 1) return;",
    to: "if (nlink > 0) return;",
    noticedBy: TESTS,
    title: "is opened under neither, and says how to find the other",
  },
  {
    breaks: "a service that writes although its shared memory was removed",
    file: "src/stores/sqlite/opened-files.ts",
    from: "return this.#lookAt(this.#opened.sharedMemory);",
    to: "return undefined;",
    noticedBy: TESTS,
    title: "does not overwrite these in the log",
  },
  {
    breaks: "a service that writes its old log into the database when it stops",
    file: "src/service/close-store.ts",
    from: "if (opened.wasReplaced?.()) {",
    to: "if (opened === undefined) {",
    noticedBy: TESTS,
    title:
      "a service with WORKERS=1 whose shared memory was removed stops, and another service's creates stay",
  },
  {
    breaks: "a sandbox that takes another program's file for its lock",
    file: "src/sandbox/file-lock.ts",
    from: "readHeader(path)?.applicationId !== LOCK_ID",
    to: "readHeader(path) === undefined",
    noticedBy: TESTS,
    title: "neither locks nor deletes an SQLite file that is called sb-lock",
  },
];
