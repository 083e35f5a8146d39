import { Database } from "bun:sqlite";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HERE, programOf } from "./program.ts";
import { startServer } from "./server.ts";
import { ANIMAL_COLUMNS } from "./stock.ts";

/**
 * SQLite files with any number of animals, and a key. Creating the animals over HTTP would take long, so the program of
 * a checkout makes the file and its key, and SQL adds the animals. Files are kept in the folder for temporary files until
 * the schema of the checkout changes.
 */
export class SqliteTemplates {
  /** Puts a copy into a folder, where `animal-store serve` finds it, and returns the key. */
  async copyTo(folder: string, animals: number, root = HERE): Promise<string> {
    const template = join(templatesOf(root), `${animals}`);
    if (!existsSync(template)) await make(template, animals, root);
    mkdirSync(join(folder, "data"));
    const copy = join(folder, "data/animal-store.db");
    copyFileSync(join(template, "animal-store.db"), copy, constants.COPYFILE_FICLONE);
    // Otherwise the first sync of a create would wait for the file's own pages.
    Bun.spawnSync(["sync", copy]);
    return readFileSync(join(template, "key"), "utf8").trim();
  }
}

async function make(template: string, animals: number, root: string): Promise<void> {
  mkdirSync(dirname(template), { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(`${template}-draft-`);
  try {
    const file = join(draft, "animal-store.db");
    const options = ["--port", "0", "--database", `sqlite:${file}`, "--first-key", join(draft, "key")];
    await using server = await startServer([programOf(root), "serve", ...options], { folder: draft });
    await server[Symbol.asyncDispose]();
    fill(file, animals);
    chmodSync(file, 0o600);
    renameSync(draft, template);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function fill(file: string, animals: number): void {
  using database = new Database(file);
  database.run("PRAGMA synchronous = OFF");
  database.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${animals})
     INSERT INTO animal (id, name, category_id, status) SELECT id, ${ANIMAL_COLUMNS} FROM ids WHERE id <= ${animals}`,
  );
  // The file is copied without the log beside it.
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** The folder of the files with a checkout's schema. */
function templatesOf(root: string): string {
  const migrations = join(root, "src/stores/sqlite/migrations");
  const hash = new Bun.CryptoHasher("sha256");
  for (const name of readdirSync(migrations).sort()) hash.update(readFileSync(join(migrations, name)));
  hash.update(ANIMAL_COLUMNS);
  const digest = hash.digest("hex").slice(0, 12);
  return join(tmpdir(), `animal-store-bench-stores-${process.getuid?.() ?? ""}-${digest}`);
}
