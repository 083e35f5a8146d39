import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mapHeader } from "../../src/stores/sqlite/revision/shared-memory-revision.ts";
import { WriteAheadLogWatch } from "../../src/stores/sqlite/revision/write-ahead-log.ts";
import { temporaryFolder } from "../support/folder.ts";

test.if(process.platform === "linux")(
  "the age of the oldest reader is that of one reader, not of all that came to the same place one after another",
  () => {
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
    /** Makes the log begin again, and then a reader that is behind: at the same place each time. */
    const fallBehind = () => {
      writer.run("PRAGMA wal_checkpoint(RESTART)");
      writer.run("INSERT INTO change DEFAULT VALUES");
      reader.run("BEGIN");
      reader.query("SELECT count(*) FROM change").get();
      writer.run("INSERT INTO change DEFAULT VALUES");
    };
    fallBehind();
    expect(ageAt(0)).toBe(0);
    expect(ageAt(60)).toBe(60);
    reader.run("COMMIT");
    // As a program does that copies the log, about once a minute (Litestream).
    fallBehind();
    expect(ageAt(61)).toBe(0);
    expect(ageAt(90)).toBe(29);
    reader.run("COMMIT");
    expect(ageAt(91)).toBe(0);
  },
);
