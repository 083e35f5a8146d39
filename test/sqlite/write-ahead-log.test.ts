import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mapHeader } from "../../src/stores/sqlite/revision/shared-memory-revision.ts";
import { WriteAheadLogWatch } from "../../src/stores/sqlite/revision/write-ahead-log.ts";
import { temporaryFolder } from "../support/folder.ts";

/** How readers fall behind that begin when a checkpoint has just been made. */
const READERS = [
  { kind: "need nothing from the log", writes: 0 },
  { kind: "need some of the log", writes: 1 },
] as const;

test.if(process.platform === "linux").each(READERS)(
  "the age of the oldest reader is that of one, not of several that came to the same place one after another and $kind",
  ({ writes }) => {
    using folder = temporaryFolder();
    const file = join(folder.path, "store.db");
    writeFileSync(file, "");
    const header = mapHeader(file);
    using writer = new Database(file);
    writer.run("PRAGMA journal_mode = WAL");
    writer.run("CREATE TABLE change (id INTEGER PRIMARY KEY)");
    using reader = new Database(file, { readonly: true });
    const watch = new WriteAheadLogWatch(file, header);
    const ageAt = (seconds: number) => watch.look(seconds * 1000).oldestReaderSeconds;
    const write = () => writer.run("INSERT INTO change DEFAULT VALUES");
    // A program that copies the log does so about once a minute (Litestream).
    const checkpointAndFallBehind = () => {
      writer.run("PRAGMA wal_checkpoint");
      for (let time = 0; time < writes; time++) write();
      reader.run("BEGIN");
      reader.query("SELECT count(*) FROM change").get();
      write();
    };
    checkpointAndFallBehind();
    expect(ageAt(0)).toBe(0);
    write();
    expect(ageAt(60)).toBe(60);
    reader.run("COMMIT");
    checkpointAndFallBehind();
    expect(ageAt(61)).toBe(0);
    write();
    expect(ageAt(90)).toBe(29);
    reader.run("COMMIT");
    expect(ageAt(91)).toBe(0);
  },
);
