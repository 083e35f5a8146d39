import { describe, expect, test } from "bun:test";
import { hostname } from "node:os";
import type { Run } from "../../verify/child.ts";
import type { Engine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";
import type { Service } from "../support/service.ts";

// What several instances and workers show right after a correction: test/support/as-one.ts.

const MIN = "-9223372036854775808";
const MAX = "9223372036854775807";

/** Runs `animals …` on the store that a service serves. */
function correct(
  { database }: Service,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  return run(["animals", ...args], { cwd: "/", env: { DATABASE_URL: database.url, ...env } });
}

/** Adds animals 1, 2, 3, … by their names. */
async function add(service: Service, ...names: string[]): Promise<void> {
  for (const name of names) {
    expect((await service.create(JSON.stringify({ name, categoryId: 1 }))).status).toBe(201);
  }
}

async function body(service: Service, path: string): Promise<string> {
  return (await service.call(path)).text();
}

/** What `animals` promises on every engine. */
export function animalsOn({ startService, createDatabase }: Engine): void {
  describe("animals set", () => {
    test("shows in the next response of a service that has cached pages, exact to the last digit", async () => {
      await using service = await startService();
      await add(service, "Rex", "Mia", "Bo");
      const paths = ["/v1/pets", "/v1/pets?limit=1", "/v1/pets/2", "/v1/pets?status=available"];
      // Pages are kept from the second time on.
      for (let time = 0; time < 3; time++) for (const path of paths) await service.call(path);
      const tag = (await service.call("/v1/pets/2")).headers.get("etag") as string;
      const done = await correct(service, [
        "set",
        "2",
        "--status",
        "sold",
        "--category-id",
        MIN,
        "--name",
        'Mi"a ü🐢',
      ]);
      expect(done.exitCode).toBe(0);
      const mia = `{"id":2,"name":"Mi\\"a ü🐢","categoryId":${MIN},"status":"sold"}`;
      expect(await body(service, "/v1/pets/2")).toBe(mia);
      expect(await body(service, "/v1/pets")).toContain(mia);
      expect(await body(service, "/v1/pets?status=available")).not.toContain("Mi");
      expect(await body(service, "/v1/pets?status=sold")).toBe(`[${mia}]`);
      const again = await service.call("/v1/pets/2", { headers: { "if-none-match": tag } });
      expect(again.status).toBe(200);
      await correct(service, ["set", "2", "--category-id", MAX]);
      expect(await body(service, "/v1/pets/2")).toBe(mia.replace(MIN, MAX));
    });

    test("changes several, or none if one is unknown", async () => {
      await using service = await startService();
      await add(service, "Rex", "Mia");
      expect(await correct(service, ["set", "1", "7", "2", MAX, "--status", "sold"])).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: `animal-store: There is no animal with the ids 7, ${MAX}. Nothing was changed.\n`,
      });
      expect(await body(service, "/v1/pets?status=sold")).toBe("[]");
      const { exitCode, stderr } = await correct(service, ["set", "2", "1", "2", "--status", "sold"]);
      expect([exitCode, stderr]).toEqual([
        0,
        expect.stringMatching(/Animal 1: status available → sold\.\nAnimal 2: status available → sold\.\n/),
      ]);
      expect(JSON.parse(await body(service, "/v1/pets?status=sold"))).toHaveLength(2);
    });

    test("says what is wrong with a value, by the rules for a new animal", async () => {
      await using service = await startService();
      await add(service, "Rex");
      const NAME = "--name must be a string of 1 to 255 characters that is not only white space";
      const INTEGER = `--category-id must be an integer from ${MIN} to ${MAX}`;
      for (const [args, said] of [
        [["--status", "lost"], "--status must be one of `available`, `pending`, `sold`"],
        [["--status", "Sold"], "--status must be one of `available`, `pending`, `sold`"],
        [["--name", ""], NAME],
        [["--name", "\u2003 "], NAME],
        [["--name", "😀".repeat(256)], NAME],
        [["--category-id", "9223372036854775808"], INTEGER],
        [["--category-id", "1.5"], INTEGER],
        [["--category-id", ""], INTEGER],
        [["--category-id", "x", "--status", "lost"], `${INTEGER}; --status must be`],
        [[], "there is nothing to change; pass --name, --category-id"],
      ] as const) {
        const { exitCode, stderr } = await correct(service, ["set", "1", ...args]);
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
      }
      for (const id of ["0", "-1", "01", "x", "1.0", "9223372036854775808"]) {
        const { exitCode, stderr } = await correct(service, ["set", "--status", "sold", "--", id]);
        expect([id, exitCode, stderr]).toEqual([id, 2, expect.stringContaining("is not an animal's id")]);
      }
      expect(await body(service, "/v1/pets/1")).toBe(
        '{"id":1,"name":"Rex","categoryId":1,"status":"available"}',
      );
      expect((await correct(service, ["log"])).stdout).not.toContain("Rex");
    });
  });

  describe("animals remove", () => {
    test("shows in the next response, and never frees an id, not even that of the last animal", async () => {
      await using service = await startService();
      await add(service, "Rex", "Mia", "Bo");
      for (let time = 0; time < 3; time++) {
        for (const path of ["/v1/pets", "/v1/pets?limit=2", "/v1/pets/3"]) await service.call(path);
      }
      const next = (await service.call("/v1/pets?limit=2")).headers
        .get("link")
        ?.match(/<(.*)>/)?.[1] as string;
      expect(await body(service, next)).toContain("Bo");
      expect((await correct(service, ["remove", "3"])).exitCode).toBe(0);
      expect((await service.call("/v1/pets/3")).status).toBe(404);
      expect(await body(service, next)).toBe("[]");
      // The page before has become the last one.
      expect((await service.call("/v1/pets?limit=2")).headers.get("link")).toBeNull();
      await add(service, "Lu");
      expect(await body(service, next)).toBe('[{"id":4,"name":"Lu","categoryId":1,"status":"available"}]');
      expect((await correct(service, ["remove", "4", "1", "2"])).exitCode).toBe(0);
      expect(await body(service, "/v1/pets")).toBe("[]");
      await add(service, "Kai");
      expect(await body(service, "/v1/pets")).toBe(
        '[{"id":5,"name":"Kai","categoryId":1,"status":"available"}]',
      );
    });

    test("removes several, or none if one is unknown", async () => {
      await using service = await startService();
      await add(service, "Rex", "Mia");
      expect(await correct(service, ["remove", "1", "9"])).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: "animal-store: There is no animal with the id 9. Nothing was changed.\n",
      });
      expect(JSON.parse(await body(service, "/v1/pets"))).toHaveLength(2);
    });
  });

  describe("the log of corrections", () => {
    test("says who changed what and when, and the value before, in order", async () => {
      await using service = await startService();
      await add(service, "Rex", "Mia");
      const begun = new Date().toISOString();
      const set = await correct(service, ["set", "1", "2", "--category-id", MAX, "--json"]);
      const removed = await correct(service, ["remove", "2", "--json"], { SUDO_USER: "alice" });
      const by = `${Bun.spawnSync(["id", "-un"]).stdout.toString().trim()}@${hostname()}`;
      const rex = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';
      const mia = '{"id":2,"name":"Mia","categoryId":1,"status":"available"}';
      const moved = (animal: string) => animal.replace('"categoryId":1', `"categoryId":${MAX}`);
      const at = /"at":"([^"]+)"/.exec(set.stdout)?.[1] as string;
      expect(at >= begun && at <= new Date().toISOString()).toBe(true);
      expect(set.stdout).toBe(
        `[{"at":"${at}","by":"${by}","before":${rex},"after":${moved(rex)}},` +
          `{"at":"${at}","by":"${by}","before":${mia},"after":${moved(mia)}}]\n`,
      );
      expect(removed.stdout).toContain(`"by":"${by} (sudo by alice)","before":${moved(mia)},"after":null}]`);
      const all = await correct(service, ["log", "--json"]);
      expect(all.stdout).toBe(`${set.stdout.trim().slice(0, -1)},${removed.stdout.slice(1)}`);
      expect((await correct(service, ["log", "--json", "--last", "1"])).stdout).toBe(removed.stdout);
      expect(JSON.parse((await correct(service, ["log", "2", "--json"])).stdout)).toHaveLength(2);
      expect((await correct(service, ["log", "1"])).stdout).toBe(
        `${"TIME".padEnd(24)}  ${"OPERATOR".padEnd(by.length)}  ANIMAL  CORRECTION\n` +
          `${at}  ${by.padEnd("OPERATOR".length)}  1       categoryId 1 → ${MAX}\n`,
      );
    });

    test("has nothing of changes that were refused or changed nothing", async () => {
      await using service = await startService();
      await add(service, "Rex");
      const { exitCode, stdout } = await correct(service, ["set", "1", "--status", "available", "--json"]);
      expect([exitCode, stdout]).toEqual([0, "[]\n"]);
      await correct(service, ["remove", "1", "2"]);
      expect((await correct(service, ["log", "--json"])).stdout).toBe("[]\n");
    });
  });

  test("`animals` without a store makes none", async () => {
    await using database = await createDatabase();
    using folder = temporaryFolder();
    for (const args of [["set", "1", "--status", "sold"], ["remove", "1"], ["log"]]) {
      const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
      const { exitCode, stderr } = await run(["animals", ...args], options);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("there is no store")]);
    }
  });
}
