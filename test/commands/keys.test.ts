import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { API_KEY_PATTERN, hashApiKey, SCOPES } from "../../src/domain/api-key.ts";
import { newKey } from "../../src/service/new-key.ts";
import { openStore } from "../../src/stores/open.ts";
import type { Run } from "../../verify/child.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";
import { folderWithStore } from "../support/store-place.ts";

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly scopes: string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedOn: string | null;
}

const DAY = 24 * 60 * 60 * 1000;

function keys({ path }: TemporaryFolder, ...args: string[]): Promise<Run> {
  return run(["keys", ...args], { cwd: path });
}

/** The store's file, as commands name it. */
function storeIn({ path }: TemporaryFolder): string {
  return join(path, "data/animal-store.db");
}

/** Makes a key, and returns it. */
async function create(folder: TemporaryFolder, ...args: string[]): Promise<string> {
  const { exitCode, stdout } = await keys(folder, "create", "--name", "test", ...args);
  expect(exitCode).toBe(0);
  return stdout.trim();
}

async function list(folder: TemporaryFolder): Promise<Listed[]> {
  return JSON.parse((await keys(folder, "list", "--json")).stdout);
}

describe("keys create", () => {
  test("prints the key alone on standard output, and explains it on standard error", async () => {
    using folder = await folderWithStore();
    const { exitCode, stdout, stderr } = await keys(folder, "create", "--name", "the shop's web site");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^as_live_\w{36}\n$/);
    expect(stdout.trim()).toMatch(API_KEY_PATTERN);
    expect(stderr).toBe(
      `Key 1 (the shop's web site) of ${storeIn(folder)} may ${SCOPES.join(", ")} in production. It is shown only this once.\n`,
    );
  });

  test("gives a key every scope that exists, or those asked for", async () => {
    using folder = await folderWithStore();
    await create(folder);
    await create(folder, "--scopes", "pets:read");
    await create(folder, "--scopes", "pets:write, pets:read,pets:write");
    expect((await list(folder)).map(({ scopes }) => scopes)).toEqual([
      [...SCOPES],
      ["pets:read"],
      ["pets:read", "pets:write"],
    ]);
  });

  test("sets its expiry, as a duration or a time", async () => {
    using folder = await folderWithStore();
    await create(folder);
    await create(folder, "--expires", "90d");
    await create(folder, "--expires", "2w");
    await create(folder, "--expires", "2999-01-31");
    await create(folder, "--expires", "2999-01-31T12:00:00+02:00");
    await create(folder, "--expires", "2999-01-31t12:00:00.5z");
    const [never, ...ending] = await list(folder);
    expect(never?.expiresAt).toBe(null);
    const lives = ending.map(
      ({ createdAt, expiresAt }) => Date.parse(expiresAt ?? "") - Date.parse(createdAt),
    );
    expect(lives.slice(0, 2)).toEqual([90 * DAY, 14 * DAY]);
    expect(ending.slice(2).map(({ expiresAt }) => expiresAt)).toEqual([
      "2999-01-31T00:00:00.000Z",
      "2999-01-31T10:00:00.000Z",
      "2999-01-31T12:00:00.500Z",
    ]);
  });

  test("makes keys for the configured environment", async () => {
    using folder = await folderWithStore();
    expect(await create(folder, "--environment", "staging")).toStartWith("as_test_");
    expect(await create(folder, "--environment", "production")).toStartWith("as_live_");
  });

  test.each([
    [["--name", ""], "--name must have 1 to 255 characters"],
    [["--name", "  "], "--name must have 1 to 255 characters"],
    [["--name", "x".repeat(256)], "--name must have 1 to 255 characters"],
    [["--name", "two\nlines"], "no control characters"],
    [["--name", "shop as_live_0123456789"], "--name must contain no API key"],
    [["--name", "x", "--scopes", ""], `--scopes names ""; it must be some of ${SCOPES.join(",")}`],
    [
      ["--name", "x", "--scopes", "pets:read,all"],
      `--scopes names "all"; it must be some of ${SCOPES.join(",")}`,
    ],
    ...[
      "",
      "soon",
      "90",
      "0d",
      "-1d",
      "1y",
      "1999-01-01",
      "2999-02-31",
      "2999-13-01",
      "2999-01-01T12:00:00",
    ].map((when): [string[], string] => [
      ["--name", "x", `--expires=${when}`],
      `--expires is ${JSON.stringify(when)}; it must be a duration, a date or an RFC 3339 time in the future, up to the year 9999, for example 90d or 2027-01-31T12:00:00Z.`,
    ]),
    [
      ["--name", "x", "--expires", "999999w"],
      '--expires is "999999w"; it must be a duration, a date or an RFC 3339 time in the future, up to the year 9999',
    ],
  ])("%j is wrong use, and makes no key", async (args, message) => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await keys(folder, "create", ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toStartWith("animal-store: ");
    expect(stderr).toContain(message);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each([
    [["create", "--name", "y"], ">&-"],
    [["create", "--name", "y", "--json"], "> /dev/null"],
    [["rotate", "1"], ">&-"],
  ])("%p with %s creates no key, since nobody would see it", async (args, redirection) => {
    using folder = await folderWithStore();
    await keys(folder, "create", "--name", "x");
    const before = ["sh", "-c", `exec "$@" ${redirection}`, "sh"];
    const { exitCode, stderr } = await run(["keys", ...args], { cwd: folder.path, before });
    expect(stderr).toBe(
      "animal-store: standard output is closed or /dev/null, and the key is shown there only once; no key was created. " +
        "Send it to a file or a pipe.\n",
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse((await keys(folder, "list", "--json")).stdout)).toHaveLength(1);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "fails if the key cannot be printed, and says how to revoke it",
    async () => {
      using folder = await folderWithStore();
      const before = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
      const { exitCode, stderr } = await run(["keys", "create", "--name", "x"], { cwd: folder.path, before });
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^animal-store: standard output cannot be written: .* revoke it with `keys revoke 1`\.\n$/,
      );
    },
  );
});

describe("keys list", () => {
  test("shows keys in the order of their creation, never the key itself", async () => {
    using folder = await folderWithStore();
    expect((await keys(folder, "list")).stdout).toBe(
      "ID  NAME  ENVIRONMENT  SCOPES  CREATED  EXPIRES  LAST USED  STATE\n",
    );
    const made = [
      await create(folder),
      await create(folder, "--scopes", "pets:read", "--expires", "1d", "--environment", "staging"),
    ];
    await keys(folder, "create", "--name", "für 店");
    await keys(folder, "revoke", "1");
    const { exitCode, stdout, stderr } = await keys(folder, "list");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
    const every = SCOPES.join(",");
    const padding = (taken: number) => " ".repeat(every.length - taken);
    expect(stdout.split("\n")).toEqual([
      `ID  NAME    ENVIRONMENT  SCOPES${padding(6)}  CREATED                   EXPIRES                   LAST USED  STATE`,
      expect.stringMatching(
        new RegExp(
          `^1   test    production   ${every}  ${time}  never                     never      revoked$`,
        ),
      ),
      expect.stringMatching(
        new RegExp(`^2   test    staging      pets:read${padding(9)}  ${time}  ${time}  never      valid$`),
      ),
      expect.stringMatching(
        new RegExp(
          `^3   für 店  production   ${every}  ${time}  never                     never      valid$`,
        ),
      ),
      "",
    ]);
    for (const key of made) expect(stdout).not.toContain(key);
  });

  test("--json prints a bare array with all that is known of each key, except the key itself", async () => {
    using folder = await folderWithStore();
    expect((await keys(folder, "list", "--json")).stdout).toBe("[]\n");
    await create(folder, "--expires", "2999-01-31");
    await keys(folder, "revoke", "1");
    const { exitCode, stdout } = await keys(folder, "list", "--json");
    expect(exitCode).toBe(0);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(JSON.parse(stdout)).toEqual([
      {
        id: 1,
        line: 1,
        name: "test",
        environment: "production",
        scopes: [...SCOPES],
        createdAt: time,
        expiresAt: "2999-01-31T00:00:00.000Z",
        revokedAt: time,
        lastUsedOn: null,
      },
    ]);
  });
});

describe("keys revoke", () => {
  test("revokes a key, and changes nothing when it is repeated", async () => {
    using folder = await folderWithStore();
    await create(folder);
    const said = {
      exitCode: 0,
      stdout: "",
      stderr: `Key 1 (test) of ${storeIn(folder)} is revoked: its next request fails.\n`,
    };
    expect(await keys(folder, "revoke", "1")).toEqual(said);
    const [revoked] = await list(folder);
    expect(await keys(folder, "revoke", "1")).toEqual(said);
    expect(await list(folder)).toEqual([revoked as Listed]);
  });
});

describe("keys rotate", () => {
  test("makes a successor with the same name, scopes and lifetime; the old key ends after the grace period", async () => {
    using folder = await folderWithStore();
    await create(folder, "--scopes", "pets:read", "--expires", "90d");
    const { exitCode, stdout, stderr } = await keys(folder, "rotate", "1", "--grace", "2h");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^as_live_\w{36}\n$/);
    const [old, successor] = (await list(folder)) as [Listed, Listed];
    expect(successor).toMatchObject({ id: 2, name: "test", scopes: ["pets:read"], revokedAt: null });
    const [made, ends, oldEnds] = [successor.createdAt, successor.expiresAt, old.expiresAt].map((time) =>
      Date.parse(time ?? ""),
    ) as [number, number, number];
    expect(ends - made).toBe(90 * DAY);
    expect(oldEnds - made).toBe(2 * 60 * 60 * 1000);
    expect(stderr).toBe(
      `Key 2 (test) of ${storeIn(folder)} follows key 1 in production: key 1 works until ${old.expiresAt}, ` +
        `key 2 works until ${successor.expiresAt}. It is shown only this once.\n`,
    );
  });

  test("has a grace period of one hour by default, which never extends a lifetime", async () => {
    using folder = await folderWithStore();
    await create(folder);
    await keys(folder, "rotate", "1");
    await create(folder, "--expires", "1m");
    await keys(folder, "rotate", "3");
    const [old, successor, ending] = (await list(folder)) as [Listed, Listed, Listed];
    expect(Date.parse(old.expiresAt ?? "") - Date.parse(successor.createdAt)).toBe(60 * 60 * 1000);
    expect(successor.expiresAt).toBe(null);
    expect(Date.parse(ending.expiresAt ?? "") - Date.parse(ending.createdAt)).toBe(60 * 1000);
  });

  test("gives each successor the lifetime that the first was made for; a key that has one cannot be rotated again", async () => {
    using folder = await folderWithStore();
    await create(folder, "--expires", "90d");
    await keys(folder, "rotate", "1");
    expect(await keys(folder, "rotate", "1")).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        "animal-store: Key 1 was already rotated: key 2 is its successor. " +
        "Rotate key 2, the latest successor, or create a new key with `keys create`.\n",
    });
    await keys(folder, "rotate", "2");
    expect((await keys(folder, "rotate", "1")).stderr).toContain("key 2 is its successor. Rotate key 3,");
    const all = await list(folder);
    expect(all).toHaveLength(3);
    const last = all.at(-1) as Listed;
    expect(Date.parse(last.expiresAt ?? "") - Date.parse(last.createdAt)).toBe(90 * DAY);
  });

  test("the successor of a key that never expires never expires either, and the message says so", async () => {
    using folder = await folderWithStore();
    await create(folder);
    expect((await keys(folder, "rotate", "1")).stderr).toContain(
      ", key 2 never expires. It is shown only this once.",
    );
  });

  test("makes a successor for the environment of the key, even if another is configured", async () => {
    using folder = await folderWithStore();
    await create(folder, "--environment", "staging");
    const { stdout, stderr } = await keys(folder, "rotate", "1");
    expect(stdout).toStartWith("as_test_");
    expect(stderr).toContain("follows key 1 in staging:");
  });

  test("--json reports both keys", async () => {
    using folder = await folderWithStore();
    await create(folder, "--expires", "90d");
    const { stdout, stderr } = await keys(folder, "rotate", "1", "--json", "--quiet");
    expect(stderr).toBe("");
    const [old, successor] = await list(folder);
    const { lastUsedOn: _, ...made } = successor as Listed;
    expect(JSON.parse(stdout)).toEqual({
      store: storeIn(folder),
      ...made,
      key: expect.stringMatching(API_KEY_PATTERN),
      predecessor: { id: 1, expiresAt: old?.expiresAt },
    });
  });

  test("fails for a key that has expired or was revoked", async () => {
    using folder = await folderWithStore();
    await create(folder);
    await keys(folder, "revoke", "1");
    const store = await openStore(`sqlite:${storeIn(folder)}`, Date.now);
    const { stored } = newKey("production", { name: "old", scopes: [], createdAt: 0, expiresAt: 1 });
    await store.addKey(stored);
    await store.close();
    for (const [id, state] of [
      ["1", "revoked"],
      ["2", "expired"],
    ] as const) {
      expect(await keys(folder, "rotate", id)).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: `animal-store: Key ${id} is ${state}; create a new one with \`keys create\`.\n`,
      });
    }
    expect(await list(folder)).toHaveLength(2);
  });

  test("a grace period that is not a duration is wrong use", async () => {
    using folder = await folderWithStore();
    await create(folder);
    for (const grace of ["", "1", "1y", "-1h", "1.5h"]) {
      expect(await keys(folder, "rotate", "1", `--grace=${grace}`)).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: `animal-store: --grace is ${JSON.stringify(grace)}; it must be a duration, for example 90d, 12h or 30m.\n`,
      });
    }
    expect(await list(folder)).toHaveLength(1);
  });
});

describe.each(["revoke", "rotate"])("keys %s", (command) => {
  test("fails for a key that does not exist", async () => {
    using folder = await folderWithStore();
    expect(await keys(folder, command, "7")).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "animal-store: There is no key 7; `keys list` shows all keys.\n",
    });
  });

  test.each(["0", "01", "-1", "1.0", "x", "", "9999999999999999"])("%j is wrong use", async (id) => {
    using folder = await folderWithStore();
    const { exitCode, stdout, stderr } = await keys(folder, command, "--", id);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toBe(
      `animal-store: ${JSON.stringify(id)} is not a key's id; \`keys list\` shows the ids.\n`,
    );
  });
});

describe("while a service runs", () => {
  test("a new key works and a revoked one fails on the next request; both keys of a rotation work until the grace period ends", async () => {
    using folder = await folderWithStore();
    await using service = await serve({ cwd: folder.path });
    const statuses = async (...given: string[]) => {
      const all = given.map((key) =>
        fetch(`${service.address}/v1/pets`, { headers: { authorization: `Bearer ${key}` } }),
      );
      return (await Promise.all(all)).map(({ status }) => status);
    };
    const one = await create(folder);
    expect(await statuses(one)).toEqual([200]);
    const two = (await keys(folder, "rotate", "2", "--grace", "1h")).stdout.trim();
    expect(await statuses(one, two)).toEqual([200, 200]);
    await keys(folder, "revoke", "2");
    expect(await statuses(one, two)).toEqual([401, 200]);
    const three = (await keys(folder, "rotate", "3", "--grace", "0s")).stdout.trim();
    expect(await statuses(two, three)).toEqual([401, 200]);
    await keys(folder, "revoke", "4");
    expect(await statuses(three, service.key)).toEqual([401, 200]);
  });

  test("a key of the other environment does not work, although the store has it", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path });
    const staging = await create(folder, "--environment", "staging");
    const headers = { authorization: `Bearer ${staging}` };
    expect((await fetch(`${service.address}/v1/pets`, { headers })).status).toBe(401);
    await using other = await serve({ cwd: folder.path, env: { ENVIRONMENT: "staging" } });
    expect((await fetch(`${other.address}/v1/pets`, { headers })).status).toBe(200);
    const live = { authorization: `Bearer ${service.key}` };
    expect((await fetch(`${other.address}/v1/pets`, { headers: live })).status).toBe(401);
  });

  test("a key may do only what its scopes allow", async () => {
    using folder = await folderWithStore();
    await using service = await serve({ cwd: folder.path });
    const [reader, writer] = [
      await create(folder, "--scopes", "pets:read"),
      await create(folder, "--scopes", "pets:write"),
    ];
    const call = async (key: string, method: string) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const body = method === "POST" ? '{"name":"Rex","categoryId":1}' : null;
      return (await fetch(`${service.address}/v1/pets`, { method, headers, body })).status;
    };
    expect([await call(reader, "GET"), await call(reader, "POST")]).toEqual([200, 403]);
    expect([await call(writer, "GET"), await call(writer, "POST")]).toEqual([403, 201]);
  });

  test("no file of the store holds a key, only its SHA-256", async () => {
    using folder = await folderWithStore();
    await using service = await serve({ cwd: folder.path });
    const made = [service.key, await create(folder), (await keys(folder, "rotate", "2")).stdout.trim()];
    const data = join(folder.path, "data");
    const files = readdirSync(data);
    expect(files).toContain("animal-store.db-wal");
    const bytes = Buffer.concat(files.map((file) => readFileSync(join(data, file))));
    for (const key of made) {
      expect(bytes.includes(hashApiKey(key))).toBe(true);
      // Neither whole nor by its secret part, in any case of letters.
      expect(bytes.toString("latin1").toLowerCase()).not.toContain(
        key.slice("as_live_".length, -6).toLowerCase(),
      );
    }
  });
});
