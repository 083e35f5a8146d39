import { expect, test } from "bun:test";
import { readdirSync, rmSync, statSync } from "node:fs";
import { canMount, WITH_SMALL_DISK, withFilesUpTo } from "../../test/support/full-disk.ts";
import { run, serve } from "../../test/support/program.ts";
import { type StorePlace, storePlace } from "../../test/support/store-place.ts";

const onLinux = process.platform === "linux";
const STORED = 3000;

/** A store with a backup, and files to import, made while there was room. */
async function prepared(): Promise<StorePlace> {
  const here = storePlace();
  await here.run("seed", "--count", `${STORED}`);
  await here.run("backup", "a.bak");
  await here.write("many.csv", `name,categoryId\n${"Animal,1\n".repeat(10_000)}`);
  await here.write("bad.csv", `name,categoryId\n${"Animal,x\n".repeat(8_000)}`);
  return here;
}

/** Each command, with what it would make beside the store. */
const COMMANDS: readonly (readonly [args: string[], makes: string | undefined])[] = [
  [["import", "many.csv"], undefined],
  [["import", "many.csv", "--commit-every", "10000"], undefined],
  [["import", "bad.csv", "--skip-bad", "rejects"], "rejects"],
  [["seed", "--count", "10000"], undefined],
  [["export", "all.csv"], "all.csv"],
  [["backup", "b.bak"], "b.bak"],
  [["restore", "a.bak", "--force"], undefined],
];

test.skipIf(!onLinux).each(COMMANDS)(
  "a disk that is full during %p: one line, nothing lost, nothing half done",
  async (args, makes) => {
    using here = await prepared();
    const files = readdirSync(here.cwd).sort();
    const grows = args[0] === "import" || args[0] === "seed";
    const kibAtFirst = grows ? Math.ceil(statSync(here.path("store/animals.db")).size / 1024) : 0;
    // Before it has written anything, and some way into what it writes.
    for (const kib of [0, 64]) {
      const { exitCode, stdout, stderr } = await run(args, {
        ...here,
        before: withFilesUpTo(kibAtFirst + kib),
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      const complaints = stderr.split("\n").filter((line) => line.startsWith("animal-store: "));
      expect(complaints).toEqual([
        expect.stringMatching(/EFBIG|ENOSPC|SQLITE_FULL|SQLITE_IOERR|disk I\/O error|full/),
      ]);
      expect(stderr).not.toContain("    at ");
      expect(readdirSync(here.cwd).sort()).toEqual(files);
      expect(here.leftovers()).toEqual([]);
      expect(await here.animals()).toHaveLength(STORED);
    }
    // And when there is room again, it is done.
    expect((await here.run(...args)).exitCode).toBe(0);
    if (makes !== undefined) expect(readdirSync(here.cwd)).toContain(makes);
  },
);

test.skipIf(!onLinux)("a copy that a full disk stopped continues once there is room", async () => {
  using here = await prepared();
  await here.run("seed", "--count", "20000");
  const args = ["copy", "--from", here.env.DATABASE_URL, "--to", "sqlite:./copy/new.db"];
  const { exitCode, stderr } = await run(args, { ...here, before: withFilesUpTo(300) });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(/^animal-store: SQLite: SQLITE_(?:FULL|IOERR)[^\n]*\n$/),
  });
  expect((await run(args, here)).stderr).toContain("counts and checksums agree");
});

test.skipIf(!canMount())(
  "a service without room for backups reports that, and continues to serve",
  async () => {
    using here = storePlace();
    await here.run("seed", "--count", "60000");
    const env = { ...here.env, BACKUP_EVERY: "1s", BACKUP_DIR: "./disk" };
    await using service = await serve({ cwd: here.cwd, env, before: WITH_SMALL_DISK });
    await service.says("the backup failed; the service will try again in 1 s");
    const inside = `/proc/${service.pid}/root${here.cwd}/disk`;
    const list = () =>
      fetch(`${service.address}/v1/pets`, { headers: { authorization: `Bearer ${service.key}` } });
    expect((await list()).status).toBe(200);
    expect(readdirSync(inside).filter((file) => file.endsWith(".db"))).toEqual([]);
    rmSync(`${inside}/ballast`);
    await service.says("backed up to disk/animals-");
  },
);
