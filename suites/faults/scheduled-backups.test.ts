import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { temporaryPath } from "../../src/process/atomic-file.ts";
import { Metrics } from "../../test/support/metrics.ts";
import { BOUND_BY_MODES, type ServiceProcess, serve, statusOf } from "../../test/support/program.ts";
import { type StorePlace, storePlace } from "../../test/support/store-place.ts";
import { until } from "../../test/support/until.ts";

/** No process has this number: it is above all that systems give. */
const GONE = 999_999_999;

/** The identity of the store in a file. */
function identityOf(file: string): string {
  using database = new Database(file, { readonly: true });
  return database.query<{ id: string }, []>("SELECT id FROM store_identity").get()?.id ?? "";
}

/** How the names of a store's scheduled backups begin. */
function seriesOf(here: StorePlace): string {
  return `animals-${identityOf(here.store).slice(0, 8)}`;
}

/** When the newest backup was made, in seconds since 1970, as an alert sees it. */
async function newestBackup(service: ServiceProcess): Promise<number | undefined> {
  const metrics = await Metrics.at(/"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "");
  return metrics.samples.find(({ name }) => name === "animal_store_last_backup_timestamp_seconds")?.value;
}

describe("scheduled backups", () => {
  test("that were made before a restart count for the alert from the start", async () => {
    using here = storePlace();
    await here.create();
    mkdirSync(here.path("backups"));
    const file = `backups/${seriesOf(here)}-2020-01-01T00-00-00Z.db`;
    expect((await here.run("backup", file)).exitCode).toBe(0);
    const backups = { BACKUP_EVERY: "24d", BACKUP_DIR: "./backups", METRICS_PORT: "0" };
    await using service = await serve({ cwd: here.cwd, env: { ...here.env, ...backups } });
    await service.says("the newest of 2020-01-01T00:00:00.000Z");
    expect(await newestBackup(service)).toBeGreaterThanOrEqual(Date.UTC(2020, 0, 1) / 1000);
  });

  test("of two stores in one folder do not delete each other's, even if the stores have the same file name", async () => {
    using one = storePlace();
    using other = storePlace();
    const env = { BACKUP_EVERY: "1s", BACKUP_DIR: one.path("backups"), BACKUP_KEEP: "1" };
    await one.run("seed", "--count", "1");
    await other.run("migrate");
    mkdirSync(one.path("backups"));
    const kept = `${seriesOf(one)}-2020-01-01T00-00-00Z.db`;
    expect((await one.run("backup", `backups/${kept}`)).exitCode).toBe(0);
    // The other store's in content, whatever its name says.
    const disguised = `${seriesOf(other)}-2020-01-01T00-00-00Z.db`;
    cpSync(one.path(`backups/${kept}`), one.path(`backups/${disguised}`));
    await one.write("backups/animals-2020-01-01T00-00-00Z.db", "from before stores had an identity");
    await using service = await serve({ cwd: other.cwd, env: { ...other.env, ...env } });
    await service.says('"msg":"backups of this store');
    expect(service.output()).toContain(`"store":"${identityOf(other.store)}"`);
    expect(service.output()).toContain(
      `backups of this store in ${one.path("backups")}: none yet; 1 from an older version do not say`,
    );
    await until(() => [...service.output().matchAll(/"msg":"backed up to/g)].length >= 3);
    service.kill("SIGTERM");
    await service.exited;
    const left = readdirSync(one.path("backups"));
    expect(left).toContain(kept);
    expect(left).toContain(disguised);
    expect(left).toContain("animals-2020-01-01T00-00-00Z.db");
    expect(left.length).toBeLessThan(6);
  });

  test("are made and checked by the service, which keeps the newest and deletes no other file", async () => {
    using here = storePlace();
    await here.run("seed", "--count", "100");
    const name = seriesOf(here);
    const mine = [
      "animals-2026.db",
      "other-2020-01-01T00-00-00Z.db",
      "animals-2020-01-01T00-00-00Z.db",
      `${name}-2020-01-01T00-00-00Z.db.txt`,
      `${name}-2020-01-03T00-00-00Z.db`,
    ];
    for (const file of mine) await here.write(`backups/${file}`, "mine");
    expect((await here.run("backup", `backups/${name}-2020-01-01T00-00-00Z.db`)).exitCode).toBe(0);
    // Two leftovers of this series: the process of the first has ended, and the second is so old that its process id may
    // belong to another process. Two files that must stay: a running process writes one, the other is not a backup.
    const backup = `${name}-2020-01-02T00-00-00Z.db`;
    const files = [
      [temporaryPath(backup, GONE), 600],
      [`${temporaryPath(backup)}-journal`, 90_000],
      [temporaryPath(backup), 600],
      [temporaryPath("mine.db", GONE), 600],
    ] as const;
    for (const [file, age] of files) {
      await here.write(`backups/${file}`, "mine");
      const then = Date.now() / 1000 - age;
      utimesSync(here.path(`backups/${file}`), then, then);
    }
    mine.push(files[2][0], files[3][0]);
    const env = { ...here.env, BACKUP_EVERY: "1s", BACKUP_DIR: "./backups", BACKUP_KEEP: "2" };
    await using service = await serve({ cwd: here.cwd, env });
    const seen = new Set<string>();
    while (seen.size < 4) {
      for (const [, file] of service.output().matchAll(/"msg":"backed up to ([^"]+)"/g))
        seen.add(file as string);
      await Bun.sleep(20);
    }
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    const left = readdirSync(here.path("backups")).filter((file) => !mine.includes(file));
    // One more may have been made, and not pruned yet, at the end.
    expect(left.length).toBeWithin(2, 4);
    expect(left).not.toContain(`${name}-2020-01-01T00-00-00Z.db`);
    for (const file of left)
      expect(file).toMatch(/^animals-[0-9a-f]{8}-20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
    for (const file of mine) expect(here.read(`backups/${file}`)).toBe("mine");
    const restored = await here.run("restore", `backups/${left.sort().at(-1)}`, "--force");
    expect(restored.stderr).toStartWith("Restored 100 animals and 35 orders from ");
  });

  test("do not wait for a named pipe that has the name of a backup", async () => {
    using here = storePlace();
    await here.create(1);
    const env = { ...here.env, BACKUP_EVERY: "1s", BACKUP_DIR: "./backups" };
    const made = /"msg":"backed up to ([^"]+)-20[^"]+"/;
    let series = "";
    {
      await using service = await serve({ cwd: here.cwd, env });
      await until(() => made.test(service.output()));
      series = made.exec(service.output())?.[1] ?? "";
    }
    expect(Bun.spawnSync(["mkfifo", here.path(`${series}-2025-01-01T00-00-00Z.db`)]).exitCode).toBe(0);
    await using service = await serve({ cwd: here.cwd, env });
    await until(() => made.test(service.output()));
  });

  test("made while the clock was ahead neither prevent later ones nor displace them", async () => {
    using here = storePlace();
    await here.create();
    mkdirSync(here.path("backups"));
    const ahead = [1, 2].map((day) => `${seriesOf(here)}-2099-01-0${day}T00-00-00Z.db`);
    for (const file of ahead) expect((await here.run("backup", `backups/${file}`)).exitCode).toBe(0);
    const env = { ...here.env, BACKUP_EVERY: "1s", BACKUP_DIR: "./backups", BACKUP_KEEP: "2" };
    await using service = await serve({ cwd: here.cwd, env });
    const made = () =>
      [...service.output().matchAll(/"msg":"backed up to backups\/([^"]+)"/g)].map(([, file]) => file);
    await until(() => made().length >= 3);
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    await service.says('"msg":"stopped"');
    const kept = readdirSync(here.path("backups"));
    // The first ones may be gone by now, displaced by later ones.
    expect(kept).toContain(made().at(-1) as string);
    expect(kept).not.toContain(ahead[0]);
  });

  test.each([
    ["a folder that may not be written to", "1", "closed", "EACCES"],
    ["a folder that may not be written to", "2", "closed", "EACCES"],
    ["a folder that cannot be made", "1", "closed/backups", "EACCES"],
    ["a file", "2", "file", "EEXIST"],
  ])(
    "to %s are reported at start with WORKERS=%s, though none is due",
    async (_, workers, folder, reason) => {
      using here = storePlace();
      await here.create();
      await here.write("file", "");
      mkdirSync(here.path("closed"));
      const now = new Date().toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
      expect((await here.run("backup", `closed/${seriesOf(here)}-${now}.db`)).exitCode).toBe(0);
      chmodSync(here.path("closed"), 0o555);
      const env = { ...here.env, BACKUP_EVERY: "24d", BACKUP_DIR: folder, WORKERS: workers };
      await using service = await serve({ cwd: here.cwd, env, before: BOUND_BY_MODES });
      await service.says("the backup failed; the service will try again in 60 s");
      expect(service.output()).toContain(reason);
      // The folder itself was tried, and not a backup into it.
      expect(service.output()).not.toContain("backups of this store");
      chmodSync(here.path("closed"), 0o755);
    },
  );

  test("that fail are reported and tried again, without an effect on clients", async () => {
    using here = storePlace();
    await here.write("backups", "a file where a folder should be");
    const env = { ...here.env, BACKUP_EVERY: "1s", BACKUP_DIR: "./backups", METRICS_PORT: "0" };
    await using service = await serve({ cwd: here.cwd, env });
    await service.says("the backup failed; the service will try again in 1 s");
    expect(await newestBackup(service)).toBe(0);
    expect(await statusOf(service, service.key)).toBe(200);
    rmSync(here.path("backups"));
    await service.says("backed up to backups/animals-");
  });
});
