import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig } from "../../src/config/read.ts";
import { SETTING_NAMES } from "../../src/config/settings.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";

interface Row {
  readonly name: string;
  readonly value: string | null;
  readonly source: string;
}

const URLS = {
  PRODUCTION_URL: "https://animals.example.com/v1",
  STAGING_URL: "https://staging.example.com/v1",
};

describe("openapi", () => {
  test("prints the document that a service with this configuration serves", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path });
    const { port } = new URL(service.address);
    const printed = await run(["openapi", "--port", port], { cwd: folder.path });
    expect(printed).toEqual({
      exitCode: 0,
      stdout: await (await fetch(`${service.address}/openapi.json`)).text(),
      stderr: "",
    });
    expect(JSON.parse(printed.stdout).servers).toEqual([
      { url: `${service.address}/v1`, description: "Production" },
    ]);
  });

  test("--yaml prints it as YAML", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path });
    const { port } = new URL(service.address);
    const printed = await run(["openapi", "--yaml", "--port", port], { cwd: folder.path });
    expect(printed.stdout).toBe(await (await fetch(`${service.address}/openapi.yaml`)).text());
  });

  test("names the configured services", async () => {
    using folder = temporaryFolder();
    const serversOf = async (env: Record<string, string>) =>
      JSON.parse((await run(["openapi"], { cwd: folder.path, env })).stdout).servers;
    const production = { url: URLS.PRODUCTION_URL, description: "Production" };
    const staging = { url: URLS.STAGING_URL, description: "Staging" };
    expect(await serversOf(URLS)).toEqual([production, staging]);
    expect(await serversOf({ STAGING_URL: URLS.STAGING_URL })).toEqual([staging]);
    expect(await serversOf({ HOST: "::1" })).toMatchObject([{ url: "http://[::1]:8080/v1" }]);
    await using service = await serve({ cwd: folder.path, env: URLS });
    const served = (await (await fetch(`${service.address}/openapi.json`)).json()) as { servers: unknown };
    expect(served.servers).toEqual([production, staging]);
  });

  test("needs no store", async () => {
    using folder = temporaryFolder();
    await run(["openapi"], { cwd: folder.path });
    expect([...new Bun.Glob("**").scanSync({ cwd: folder.path })]).toEqual([]);
  });
});

describe("config", () => {
  test("shows every setting, its value, and where that came from", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, ".env"), "LOG_LEVEL=warn\nPORT=81\nRATE_LIMIT=100/s\n");
    const env = { PORT: "82", ENVIRONMENT: "staging" };
    const { exitCode, stdout, stderr } = await run(["config", "--environment", "production"], {
      cwd: folder.path,
      env,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const [head, ...rows] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual(["SETTING", "VALUE", "FROM"]);
    expect(rows.map(([name]) => name)).toEqual(SETTING_NAMES);
    expect(rows).toContainEqual(["LOG_LEVEL", "warn", ".env"]);
    expect(rows).toContainEqual(["RATE_LIMIT", "100/s", ".env"]);
    expect(rows).toContainEqual(["PORT", "82", "environment"]);
    expect(rows).toContainEqual(["ENVIRONMENT", "production", "flag"]);
    expect(rows).toContainEqual(["HOST", "127.0.0.1", "default"]);
    expect(rows).toContainEqual(["STAGING_URL", "-", "default"]);
  });

  test("--json is a bare array of the same", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, ".env"), "PORT=81\n");
    const { exitCode, stdout } = await run(["config", "--json", "--host", "::1"], {
      cwd: folder.path,
      env: { WORKERS: "1" },
    });
    expect(exitCode).toBe(0);
    const rows: Row[] = JSON.parse(stdout);
    const { sources, texts } = readConfig({ HOST: "::1" }, { WORKERS: "1" }, "PORT=81\n");
    expect(rows).toEqual(
      SETTING_NAMES.map((name) => ({ name, value: texts[name] ?? null, source: sources[name] })),
    );
  });

  test("is what `serve` follows", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, ".env"), "ENVIRONMENT=staging\nDATABASE_URL=sqlite:./elsewhere.db\n");
    await using service = await serve({ cwd: folder.path });
    expect(service.key).toStartWith("as_test_");
    expect(await Bun.file(join(folder.path, "elsewhere.db")).exists()).toBe(true);
  });
});
