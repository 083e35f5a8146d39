import type { Mutant } from "../mutant.ts";

const TESTS = "test/faults/files-of-a-store.test.ts";

export const FILES: readonly Mutant[] = [
  {
    breaks: "a command that writes over the log of a store",
    file: "src/stores/sqlite/store-files.ts",
    from: "if (database !== undefined && findFile(database)?.isFile()) return",
    to: "if (database === path) return",
    noticedBy: TESTS,
    title: "backup --force is to write over a file of a store",
  },
  {
    breaks: "a command that writes over another store",
    file: "src/stores/sqlite/store-files.ts",
    from: 'return isStore(path) ? "it is a store" : undefined;',
    to: "return undefined;",
    noticedBy: TESTS,
    title: "export --force is to write over a file of a store",
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
    title: "does not write over them in the log",
  },
  {
    breaks: "a service that writes its old log into the database when it stops",
    file: "src/service/close-store.ts",
    from: "if (opened.wasReplaced?.()) {",
    to: "if (opened === undefined) {",
    noticedBy: TESTS,
    title: "processes (1 of them) whose shared memory was removed stop, and another service's creates stay",
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
