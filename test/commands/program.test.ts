import { describe, expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { EXAMPLES } from "../../src/cli/examples.ts";
import { createProgram } from "../../src/program.ts";
import { onEveryEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM, run, serve } from "../support/program.ts";
import { folderWithStore } from "../support/store-place.ts";

const ROOT = join(import.meta.dir, "../..");

describe("help", () => {
  test("names every command", async () => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await run(["--help"], { cwd: folder.path });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const data = ["backup", "restore", "import", "export", "copy", "seed"];
    for (const command of ["serve", "keys", "openapi", "config", ...data]) {
      expect(stdout).toContain(`\n  ${command} `);
    }
  });

  test.each(["serve", "keys", "keys create", "keys list", "keys revoke", "keys rotate", "openapi", "config"])(
    "of %s",
    async (command) => {
      using folder = temporaryFolder();
      const { exitCode, stdout, stderr } = await run([...command.split(" "), "--help"], { cwd: folder.path });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toStartWith(`Usage: animal-store ${command}`);
    },
  );
});

test("help shows the help of a command, also below others, and names a mistake", async () => {
  using folder = temporaryFolder();
  const help = (...words: string[]) => run(["help", ...words], { cwd: folder.path });
  for (const words of [[], ["keys"], ["keys", "create"], ["sandbox", "judge"]]) {
    const { exitCode, stdout } = await help(...words);
    expect([exitCode, stdout.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${["Usage: animal-store", ...words].join(" ")} `)),
    ]);
  }
  for (const [words, meant] of [
    [["nonsense"], ""],
    [["exprot"], " (Did you mean export?)"],
    [["keys", "craete"], " (Did you mean create?)"],
    [["animals", "import"], ""],
  ] as const) {
    for (const asked of [help(...words), run([...words, "--help"], { cwd: folder.path })]) {
      const { exitCode, stdout, stderr } = await asked;
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr.split("\n")[0]).toBe(`animal-store: unknown command '${words.at(-1)}'${meant}`);
    }
  }
  const ofExport = ["help export craete", "export craete --help"].map((line) =>
    run(line.split(" "), { cwd: folder.path }),
  );
  // `export` takes a file, so only `help` reads the word as a command.
  expect((await Promise.all(ofExport)).map(({ exitCode }) => exitCode)).toEqual([2, 0]);
});

test("every line of help except examples fits a terminal of 80 columns", () => {
  const tooLong = [...commandsOf(createProgram([]))].flatMap(([path, command]) => {
    const [help = ""] = command.helpInformation().split("\nExamples:");
    return help.split("\n").flatMap((line) => (line.length > 80 ? `${path}: ${line}` : []));
  });
  expect(tooLong).toEqual([]);
});

/** Every command that is shown, with its words. */
function* commandsOf(command: Command, path = ""): Generator<[path: string, command: Command]> {
  yield [path, command];
  for (const each of command.createHelp().visibleCommands(command)) {
    if (each.name() !== "help") yield* commandsOf(each, `${path} ${each.name()}`.trim());
  }
}

describe("the help", () => {
  const commands = [...commandsOf(createProgram([]))];

  test("has examples for each command, with existing options", () => {
    expect(commands.map(([path]) => path).sort()).toEqual(Object.keys(EXAMPLES).sort());
    for (const example of Object.values(EXAMPLES).flat()) {
      const [, line = ""] = /animal-store((?: [^|>)#]*)?)/.exec(example) ?? [];
      const words = line.match(/'[^']*'|\S+/g) ?? [];
      const [path, command] = commands
        .filter(([path]) => `${words.join(" ")} `.startsWith(path === "" ? "" : `${path} `))
        .sort(([one], [other]) => other.length - one.length)[0] as [string, Command];
      const { operands, unknown } = command.parseOptions(words.slice(path.split(" ").filter(Boolean).length));
      const required = command.registeredArguments.filter((argument) => argument.required);
      expect([example, unknown]).toEqual([example, []]);
      expect([example, operands.length >= required.length]).toEqual([example, true]);
    }
  });

  test("shows each default as it would be typed", () => {
    for (const [, command] of commands) expect(command.helpInformation()).not.toMatch(/\(default:\s+"/);
    const rotate = commands.find(([path]) => path === "keys rotate")?.[1];
    expect(rotate?.helpInformation()).toContain("(default: 1h)");
  });

  test("shows the examples, and the options of serve in groups", async () => {
    using folder = temporaryFolder();
    const { stdout } = await run(["serve", "--help"], { cwd: folder.path });
    expect(stdout).toContain("\nExamples:\n  $ animal-store serve --port 80 --host 0.0.0.0\n");
    const headings = stdout.split("\n").filter((line) => /^\w.*:$/.test(line));
    expect(headings).toEqual([
      "Listening:",
      "Store and keys:",
      "Interface and its document:",
      "Log, metrics and traces:",
      "Limits:",
      "Backups:",
      "Options:",
      "Examples:",
    ]);
  });
});

test("--version prints the package's version", async () => {
  using folder = temporaryFolder();
  expect(await run(["--version"], { cwd: folder.path })).toEqual({
    exitCode: 0,
    stdout: `${manifest.version}\n`,
    stderr: "",
  });
});

describe("wrong use ends with exit code 2, and says what would be right:", () => {
  test.each([
    ["serv", "unknown command 'serv'", "Did you mean serve?"],
    ["key create", "unknown command 'key'", "Did you mean keys?"],
    ["keys creat", "unknown command 'creat'", "Did you mean create?"],
    ["--databse=postgres://u:hunter2@db/animals", "unknown option '--databse…'", ""],
    ["postgres://u:hunter2@db/animals", "unknown command '…'", ""],
    ["--prot 1", "unknown option '--prot'", "Did you mean --port?"],
    ["serve --databse x", "unknown option '--databse'", "Did you mean --database?"],
    ["config --jsn", "unknown option '--jsn'", "Did you mean --json?"],
    ["keys create --name x --scope pets:read", "unknown option '--scope'", "Did you mean --scopes?"],
    ["keys create --name", "option '--name <name>' argument missing", "--help"],
    ["keys create", "required option '--name <name>' not specified", "--help"],
    ["keys revoke", "missing required argument 'id'", "--help"],
    ["keys rotate", "missing required argument 'id'", "--help"],
    ["serve now", "too many arguments", "--help"],
    ["keys", "Usage: animal-store keys", "create"],
    // As `backup "$FILE"` is, where FILE is not set.
    ["backup ", 'FILE is ""', "name a file"],
    ["import - --format csv --skip-bad ", '--skip-bad is ""', "name a file"],
    ["backup -", "a backup is checked under its name", "name a file"],
  ])("%s", async (args, problem, advice) => {
    using folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await run(args.split(" "), { cwd: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(problem);
    // Every error message begins alike, whichever part finds the mistake.
    expect(stderr).toMatch(/^(?:animal-store: |Usage: )/);
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain("    at ");
  });
});

test.skipIf(!existsSync("/dev/full"))("output that cannot be written is a failure", async () => {
  using folder = await folderWithStore();
  const before = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
  for (const args of [["openapi"], ["config"], ["config", "--json"], ["keys", "list"]]) {
    expect(await run(args, { cwd: folder.path, before })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "animal-store: standard output cannot be written: ENOSPC: no space left on device, write\n",
    });
  }
});

onEveryEngine((engine) => {
  test.skipIf(!existsSync("/dev/full"))(
    "a report that cannot be written is a failure of one line, and the store is closed",
    async () => {
      await using database = await engine.createDatabase();
      using folder = temporaryFolder();
      const options = { cwd: folder.path, env: { DATABASE_URL: database.url } };
      await Bun.write(join(folder.path, "one.csv"), "name,categoryId\nRex,1\n");
      expect((await run(["import", "one.csv"], options)).exitCode).toBe(0);
      const before = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
      for (const command of ["migrate", "import one.csv", "import one.csv --again", "events", "keys list"]) {
        expect(await run([...command.split(" "), "--json"], { ...options, before })).toEqual({
          exitCode: 1,
          stdout: "",
          stderr: "animal-store: standard output cannot be written: ENOSPC: no space left on device, write\n",
        });
      }
    },
  );
});

describe("bin/animal-store", () => {
  /** Runs a path as the program, by itself. */
  async function versionBy(path: string, cwd: string): Promise<string> {
    await using child = Bun.spawn([path, "--version"], { cwd, stdout: "pipe", stderr: "pipe" });
    return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  }
  const expected = `${manifest.version}\n`;

  test("starts from another folder, by a relative path too", async () => {
    using folder = temporaryFolder();
    expect(await versionBy(PROGRAM, folder.path)).toBe(expected);
    expect(await versionBy("./animal-store", join(ROOT, "bin"))).toBe(expected);
  });

  test("starts through an absolute link, a relative one, a chain of them, and a link to its folder", async () => {
    using folder = temporaryFolder();
    const at = (path: string) => join(folder.path, path);
    mkdirSync(at("a folder/deep"), { recursive: true });
    symlinkSync(PROGRAM, at("a folder/absolute link"));
    symlinkSync("../absolute link", at("a folder/deep/relative link"));
    symlinkSync(at("a folder/deep/relative link"), at("chain"));
    for (const link of ["a folder/absolute link", "a folder/deep/relative link", "chain"]) {
      expect(await versionBy(at(link), "/")).toBe(expected);
    }
    expect(await versionBy("./relative link", at("a folder/deep"))).toBe(expected);
    symlinkSync(join(ROOT, "bin"), at("programs"));
    expect(await versionBy("programs/animal-store", folder.path)).toBe(expected);
  });

  test("starts when it is installed in a folder with spaces, with the runtime's package above it", async () => {
    using folder = temporaryFolder();
    const packages = join(folder.path, "some app/node_modules");
    const ours = join(packages, "animal-store");
    mkdirSync(join(packages, "@oven"), { recursive: true });
    cpSync(join(ROOT, "bin"), join(ours, "bin"), { recursive: true });
    for (const path of ["src", "web", "client", "package.json", "bunfig.toml"])
      symlinkSync(join(ROOT, path), join(ours, path));
    const runtime = [...new Bun.Glob("node_modules/@oven/bun-*").scanSync({ cwd: ROOT, onlyFiles: false })];
    symlinkSync(join(ROOT, runtime[0] as string), join(packages, "@oven/bun-here"));
    expect(await versionBy(join(ours, "bin/animal-store"), folder.path)).toBe(expected);
  });

  test("starts next to the package `bun` of the same version, which takes the runtime's binary", async () => {
    using folder = temporaryFolder();
    const packages = join(folder.path, "node_modules");
    const ours = join(packages, "animal-store");
    mkdirSync(join(packages, "@oven/bun-here/bin"), { recursive: true });
    mkdirSync(join(packages, "bun/bin"), { recursive: true });
    cpSync(join(ROOT, "bin"), join(ours, "bin"), { recursive: true });
    for (const path of ["src", "web", "client", "package.json", "bunfig.toml"])
      symlinkSync(join(ROOT, path), join(ours, path));
    symlinkSync(process.execPath, join(packages, "bun/bin/bun.exe"));
    const description = join(packages, "bun/package.json");
    await Bun.write(description, JSON.stringify({ name: "bun", version: Bun.version }, undefined, 2));
    expect(await versionBy(join(ours, "bin/animal-store"), folder.path)).toBe(expected);
    await Bun.write(description, JSON.stringify({ name: "bun", version: "1.4.4" }, undefined, 2));
    expect(await versionBy(join(ours, "bin/animal-store"), folder.path)).toContain(
      "runtime is not installed",
    );
  });

  test("says what to do if the runtime is not installed", async () => {
    using folder = temporaryFolder();
    cpSync(join(ROOT, "bin"), join(folder.path, "bin"), { recursive: true });
    const program = join(folder.path, "bin/animal-store");
    expect(await versionBy(program, folder.path)).toBe(
      "animal-store: its runtime is not installed. Install the package again, with its optional dependencies.\n",
    );
    cpSync(join(ROOT, "package-lock.json"), join(folder.path, "package-lock.json"));
    expect(await versionBy(program, folder.path)).toBe(
      `animal-store: its runtime is not installed. Run \`npm ci\` in ${folder.path}.\n`,
    );
  });

  test.each([
    ["MINGW64_NT-10.0", "x86_64", "it does not run on Windows itself. Run it in WSL: "],
    ["FreeBSD", "amd64", "it runs on Linux and macOS, on x64 and arm64, and this is FreeBSD on amd64."],
    ["Linux", "riscv64", "it runs on Linux and macOS, on x64 and arm64, and this is Linux on riscv64."],
  ])("refuses %s on %s with one clear line", async (system, machine, said) => {
    using folder = temporaryFolder();
    const uname = join(folder.path, "uname");
    await Bun.write(uname, `#!/bin/sh\necho ${system} ${machine}\n`);
    chmodSync(uname, 0o755);
    await using child = Bun.spawn([PROGRAM, "--version"], {
      env: { PATH: `${folder.path}:${process.env.PATH}` },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = [
      await new Response(child.stdout).text(),
      await new Response(child.stderr).text(),
    ];
    expect({ exitCode: await child.exited, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toStartWith(`animal-store: ${said}`);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  test("becomes the program's own process: signals reach it, and its exit code is returned", async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path });
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    await service.says('"msg":"stopped"');
  });

  test("ignores the runtime's settings of the current folder", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, "bunfig.toml"), 'preload = ["./intruder.ts"]\n');
    await Bun.write(join(folder.path, "intruder.ts"), 'console.log("intruder");\n');
    await Bun.write(join(folder.path, ".env"), "BUN_CONFIG_VERBOSE_FETCH=curl\n");
    expect(await versionBy(PROGRAM, folder.path)).toBe(expected);
  });
});
