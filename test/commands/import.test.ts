import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
import { rows } from "../durability/kill-during-imports.ts";
import { temporaryFolder } from "../support/folder.ts";
import { patchedProgram } from "../support/patched-program.ts";
import { PROGRAM, run, serve } from "../support/program.ts";
import { storePlace } from "../support/store-place.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

/** So many animals that an export or backup of them can be interrupted. */
const MANY = 150_000;

/** Rows with ids from 3 on. */
function rowsWithIds(count: number): string {
  return Array.from({ length: count }, (_, n) => `${n + 3},Rex,1\n`).join("");
}

const MEMBERS = Object.keys(ANIMAL_MEMBERS);
const HEAD = `id,${MEMBERS.join(",")}\r\n`;
/** Rex, with an empty field for each member that he lacks. */
const REX = `1,Rex,1,available${",".repeat(MEMBERS.length - 3)}\r\n`;

describe("export, import into an empty store, export: the same bytes", () => {
  test.each(["csv", "ndjson", "json"])("%s", async (format) => {
    using from = storePlace();
    using to = storePlace();
    await from.write(
      "odd.csv",
      'id,categoryId,name\n2,-9223372036854775808,"a ""b"", c"\n7,9223372036854775807,"line\r\nend"\n8,1," ü🐢\u2028"\n',
    );
    expect((await from.run("import", "odd.csv")).exitCode).toBe(0);
    expect((await from.run("seed", "--count", "6000")).exitCode).toBe(0);
    expect(await from.run("export", `all.${format}`)).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: `Exported 6,003 animals from ${from.store} to all.${format}.\n`,
    });
    const first = from.read(`all.${format}`);
    expect(first).toContain("-9223372036854775808");
    await to.write(`all.${format}`, first);
    expect((await to.run("import", `all.${format}`)).stderr).toBe(
      `Imported 6,003 animals into ${to.store}, ids 2 to 6008.\n`,
    );
    await to.run("export", `again.${format}`);
    expect(to.read(`again.${format}`) === first).toBe(true);
    // The ids of the file are given: the next is above them.
    await to.write("one.csv", "name,categoryId\nRex,1\n");
    expect((await to.run("import", "one.csv")).stderr).toBe(`Imported 1 animal into ${to.store}, id 6009.\n`);
  });
});

describe("streams", () => {
  test("a file is read from standard input, and written to standard output, a pipe or a file", async () => {
    using here = storePlace();
    const script = `printf 'name,categoryId\\nRex,1\\n' | ${PROGRAM} import - --format csv &&
      ${PROGRAM} export --format csv > out.csv && ${PROGRAM} export - --format ndjson >> out.csv &&
      ${PROGRAM} export - --format csv | cat`;
    const { PATH = "", HOME = "" } = process.env;
    const shell = Bun.spawnSync(["sh", "-c", script], { cwd: here.cwd, env: { ...here.env, PATH, HOME } });
    expect(shell.stdout.toString()).toBe(`${HEAD}${REX}`);
    expect(here.read("out.csv")).toBe(
      `${HEAD}${REX}{"id":1,"name":"Rex","categoryId":1,"status":"available"}\n`,
    );
  });

  test("an export ends silently when its reader goes away", async () => {
    using here = storePlace();
    await here.create(MANY);
    const before = ["sh", "-c", '"$@" 2>err | head -n 1; cat err >&2', "sh"];
    const { stdout, stderr } = await run(["export", "--format", "csv"], { ...here, before });
    expect(stdout).toBe(HEAD);
    expect(stderr).toBe("");
  });

  test.each([">&-", "> /dev/null"])("an export to nowhere (%s) is refused", async (redirection) => {
    using here = storePlace();
    await here.create(1);
    const before = ["sh", "-c", `exec "$@" ${redirection}`, "sh"];
    expect(await run(["export", "-", "--format", "csv"], { ...here, before })).toMatchObject({
      exitCode: 1,
      stderr:
        "animal-store: standard output is closed or /dev/null, where the export would be lost. " +
        "Send it to a file or a pipe.\n",
    });
  });
});

test("an id above 2^62 is refused, since the store would soon run out of ids", async () => {
  using here = storePlace();
  await here.write("high.csv", "id,name,categoryId\n4611686018427387904,Rex,1\n4611686018427387905,Mia,1\n");
  const { exitCode, stderr } = await here.run("import", "high.csv");
  expect(exitCode).toBe(1);
  expect(stderr).toStartWith("line 3: `id` must be an integer from 1 to 4611686018427387904\n");
  expect((await here.run("import", "high.csv", "--skip-bad", "rejects.txt")).exitCode).toBe(0);
  await here.write("more.csv", "name,categoryId\nTom,1\n");
  expect((await here.run("import", "more.csv")).stderr).toEndWith("id 4611686018427387905.\n");
});

describe("all or nothing", () => {
  test("one bad row, and nothing is imported; every bad row is reported, at most a hundred in full", async () => {
    using here = storePlace();
    await here.write("bad.csv", `${rows(300)}${"Rex,x,sold\n".repeat(120)}`);
    const { exitCode, stdout, stderr } = await here.run("import", "bad.csv");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(102);
    expect(lines[0]).toBe(
      "line 302: `categoryId` must be an integer from -9223372036854775808 to 9223372036854775807",
    );
    expect(lines[99]).toStartWith("line 401: ");
    expect(lines[100]).toBe("and 20 more");
    expect(lines[101]).toBe(
      "animal-store: 120 rows of bad.csv are invalid; nothing was imported. Correct them, or write them to a file with --skip-bad FILE and import the others.",
    );
    expect(await here.animals()).toEqual([]);
  });

  test("--skip-bad writes the bad rows to a file, unchanged and with line and reason, and imports the rest", async () => {
    using here = storePlace();
    const latin = Buffer.from("R\xe9x,2\n", "latin1");
    await Bun.write(
      here.path("some.csv"),
      Buffer.concat([
        Buffer.from("name,categoryId\r\nRex,1\r\nMia,one\r\n"),
        latin,
        Buffer.from('Tom "T",3'),
      ]),
    );
    const { exitCode, stderr } = await here.run("import", "some.csv", "--skip-bad", "rejects.txt");
    expect(exitCode).toBe(0);
    expect(stderr).toEndWith(`Imported 1 animal into ${here.store}, id 1. 3 bad rows are in rejects.txt.\n`);
    const rejects = readFileSync(here.path("rejects.txt"), "latin1").split("\n# line ");
    expect(rejects).toEqual([
      "# line 3: `categoryId` must be an integer from -9223372036854775808 to 9223372036854775807\nMia,one\r",
      "4: is not UTF-8\nR\xe9x,2",
      expect.stringMatching(/^5: has a quote in an unquoted field; .*\nTom "T",3\n$/),
    ]);
    expect(await here.animals()).toHaveLength(1);
  });

  test("--dry-run reports what an import would do, and changes nothing", async () => {
    using here = storePlace();
    await here.write("some.csv", rows(3));
    const dry = {
      exitCode: 0,
      stdout: "",
      stderr: `Would import 3 animals into ${here.store}. Nothing was changed.\n`,
    };
    expect(await here.run("import", "some.csv", "--dry-run")).toEqual(dry);
    const refused = await here.run("export", "-", "--format", "csv");
    expect(refused.stderr).toContain("there is no store");
    await here.create();
    expect(await here.run("import", "some.csv", "--dry-run")).toEqual(dry);
    expect(await here.animals()).toEqual([]);
    await here.write("bad.csv", "name,categoryId\n,1\n");
    expect((await here.run("import", "bad.csv", "--dry-run")).exitCode).toBe(1);
    await here.run("import", "some.csv");
    expect((await here.run("import", "some.csv", "--dry-run")).stderr).toMatch(
      /^This content was already imported into \/.*\/animals\.db at .*: 3 animals, ids 1 to 3\. Nothing was changed\.\n$/,
    );
  });
});

describe("the same file again", () => {
  test("adds nothing under any name, unless --again is given", async () => {
    using here = storePlace();
    await here.write("some.csv", rows(2));
    await here.run("import", "some.csv");
    await here.write("renamed.csv", rows(2));
    const { exitCode, stderr } = await here.run("import", "renamed.csv");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^This content was already imported into \/.*\/animals\.db at 20\S+Z: 2 animals, ids 1 to 2\. Nothing was changed; add --again to import it again\.\n$/,
    );
    expect(await here.animals()).toHaveLength(2);
    expect((await here.run("import", "some.csv", "--again")).stderr).toBe(
      `Imported 2 animals into ${here.store}, ids 3 to 4.\n`,
    );
    expect(await here.animals()).toHaveLength(4);
  });
});

test("a batch that would delay the writes of a service is announced first", async () => {
  using here = storePlace();
  using folder = temporaryFolder();
  // A copy that takes few for many: what is told is the same.
  const program = patchedProgram(folder.path, [
    { file: "src/stores/sqlite/bulk/bulk-database.ts", from: "smallBatch: 50_000", to: "smallBatch: 10" },
  ]);
  const told = async (...args: string[]) => (await run(["import", ...args], { ...here, program })).stderr;
  await here.write(
    "ids.csv",
    `id,name,categoryId\n${Array.from({ length: 101 }, (_, n) => `${n + 1},Rex,1\n`).join("")}`,
  );
  expect(await told("ids.csv")).toBe(
    "Publishing 101 animals at once; creates and orders of a running service may wait meanwhile.\n" +
      `Imported 101 animals into ${here.store}, ids 1 to 101.\n`,
  );
  await here.write("many.csv", rows(101));
  expect(await told("many.csv")).toBe(
    "Publishing 101 animals at once; creates and orders of a running service may wait meanwhile. " +
      `Next time --commit-every 10 keeps each wait short.\nImported 101 animals into ${here.store}, ids 102 to 202.\n`,
  );
  await here.write("few.csv", rows(100));
  expect(await told("few.csv")).toBe(`Imported 100 animals into ${here.store}, ids 203 to 302.\n`);
  expect(await told("many.csv", "--again", "--commit-every", "100")).toBe(
    `Imported 101 animals into ${here.store}, ids 303 to 403.\n`,
  );
});

describe("ids of a file", () => {
  test("must be above all that the store has assigned; --ids new assigns others", async () => {
    using here = storePlace();
    await here.write("one.csv", "name,categoryId\nRex,1\n");
    await here.run("import", "one.csv");
    await here.write("ids.csv", "id,name,categoryId\n1,Mia,1\n9,Tom,2\n");
    const { exitCode, stderr } = await here.run("import", "ids.csv");
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      "animal-store: ids.csv has ids of its own, and the store has already given ids up to 1; nothing was imported. " +
        "Assign new ids with --ids new, or import into an empty store.\n",
    );
    expect((await here.run("import", "ids.csv", "--ids", "new")).stderr).toBe(
      `Imported 2 animals into ${here.store}, ids 2 to 3.\n`,
    );
    await here.write("above.csv", "id,name,categoryId\n40,Mia,1\n");
    expect((await here.run("import", "above.csv")).stderr).toBe(
      `Imported 1 animal into ${here.store}, id 40.\n`,
    );
  });
});

test("ids that are taken are refused before the rest of the file is read, unless it may be the same file again", async () => {
  using here = storePlace();
  await here.run("seed", "--count", "3");
  // A reader of the whole file would find a row that is none.
  await here.write("taken.csv", `id,name,categoryId\n${"2,Mia,1\n"}${rowsWithIds(60_000)}"never closed`);
  for (const options of [[], ["--dry-run"]]) {
    const refused = await here.run("import", "taken.csv", ...options);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        "has ids of its own, and the store has already given ids up to 3; nothing was imported.",
      ),
    ]);
  }
  await here.write("ids.csv", "id,name,categoryId\n40,Mia,1\n41,Tom,2\n");
  await here.run("import", "ids.csv");
  expect((await here.run("import", "ids.csv")).stderr).toContain("This content was already imported");
  await here.write("other.csv", "id,name,categoryId\n40,Mia,1\n41,Tim,2\n");
  for (const options of [[], ["--dry-run"]])
    expect((await here.run("import", "other.csv", ...options)).stderr).toContain(
      "already given ids up to 41",
    );
  expect((await here.run("import", "ids.csv", "--dry-run")).stderr).toContain(
    "This content was already imported",
  );
  expect((await here.run("import", "ids.csv", "--dry-run", "--again")).stderr).toContain(
    "already given ids up to 41",
  );
});

test("a service keeps creating animals while a file is imported, and each animal exists once, in order", async () => {
  using here = storePlace();
  const count = 60_000;
  await here.write("many.csv", rows(count));
  await using service = await serve(here);
  let importing = true;
  const created: string[] = [];
  const client = async (number: number) => {
    for (let turn = 0; importing; turn++) {
      const name = `client ${number}.${turn}`;
      const answer = await fetch(`${service.address}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
        body: JSON.stringify({ name, categoryId: turn }),
      });
      expect(answer.status).toBe(201);
      created.push(name);
    }
  };
  const clients = [1, 2, 3, 4].map(client);
  while (created.length < 20) await Bun.sleep(1);
  expect((await here.run("import", "many.csv")).exitCode).toBe(0);
  const enough = created.length + 20;
  while (created.length < enough) await Bun.sleep(1);
  importing = false;
  await Promise.all(clients);
  const animals = (await here.animals()).map((line) => JSON.parse(line) as { id: number; name: string });
  const ids = animals.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const names = animals.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("client")).sort()).toEqual(created.sort());
  // Those of the file are together: nothing came in between.
  const first = names.indexOf("Animal 1");
  expect(names.slice(first, first + count)).toEqual(
    Array.from({ length: count }, (_, index) => `Animal ${index + 1}`),
  );
});

test("a file for bad rows that cannot be written is reported, with what was imported nevertheless", async () => {
  using here = storePlace();
  await here.write("kept/other", "");
  const command = [PROGRAM, "import", "-", "--format", "csv", "--skip-bad", "kept/bad"];
  const { PATH = "", HOME = "" } = process.env;
  const env = { ...here.env, PATH, HOME };
  const importing = Bun.spawn([...command], { cwd: here.cwd, env, stdin: "pipe", stderr: "pipe" });
  await until(() => readdirSync(here.path("kept")).length > 1);
  rmSync(here.path("kept"), { recursive: true });
  importing.stdin.write("name,categoryId\nRex,1\nMia,x\n");
  await importing.stdin.end();
  const errors = await new Response(importing.stderr).text();
  expect(await importing.exited).toBe(1);
  expect(errors).toContain(
    "animal-store: cannot write kept/bad: there is no folder kept; make it, or name another.",
  );
  expect(errors).toEndWith(` 1 animal was imported into ${here.store}.\n`);
  expect(await here.animals()).toHaveLength(1);
});

describe("what cannot be read or written ends with one line, and leaves nothing:", () => {
  test.each([
    [["import", "none.csv"], 1, "cannot read none.csv: ENOENT"],
    [["import", "folder.csv"], 1, "cannot read folder.csv: it is a folder; name a file."],
    [["import", "empty.csv"], 1, "empty.csv is empty; its first line must name the columns"],
    [
      ["import", "some.txt"],
      2,
      "the name some.txt does not show its format; add --format csv, ndjson or json.",
    ],
    [["import", "-"], 2, "a stream has no name that shows its format"],
    [["import", "some.csv", "--format", "xml"], 2, '--format is "xml"; it must be csv, ndjson or json.'],
    [["import", "some.csv", "--ids", "old"], 2, '--ids is "old"; it must be keep or new.'],
    [["import", "some.csv", "--commit-every", "0"], 2, '--commit-every is "0"; it must be a whole number'],
    [
      ["import", "some.csv", "--skip-bad", "no/such"],
      1,
      "cannot write no/such: there is no folder no; make it, or name another.",
    ],
    [
      ["export", "no/such.csv"],
      1,
      "cannot write no/such.csv: there is no folder no; make it, or name another.",
    ],
    [["export", "folder.csv"], 1, "cannot write folder.csv: it is a folder; name a file."],
    [["export", "a.csv", "--database", "sqlite:./none.db"], 1, "there is no store at /"],
    [["seed", "--count", "-1"], 2, '--count is "-1"; it must be a whole number of at least 1.'],
    [["seed", "--count", "1", "--seed", "x"], 2, '--seed is "x"; it must be a whole number below a billion.'],
  ] as [string[], number, string][])("%p", async (args, exitCode, problem) => {
    using here = storePlace();
    await here.write("empty.csv", "");
    await here.write("some.csv", rows(1));
    await here.write("folder.csv/file", "");
    await here.create();
    const { exitCode: ended, stdout, stderr } = await here.run(...args);
    expect({ ended, stdout }).toEqual({ ended: exitCode, stdout: "" });
    expect(stderr).toStartWith(`animal-store: ${problem}`);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(readdirSync(here.cwd).sort()).toEqual(["empty.csv", "folder.csv", "some.csv", "store"]);
    expect(existsSync(here.path("none.db"))).toBe(false);
    expect(await here.animals()).toEqual([]);
  });
});

test("an import of a missing file makes no store", async () => {
  using here = storePlace();
  expect((await here.run("import", "none.csv")).exitCode).toBe(1);
  expect(readdirSync(here.cwd)).toEqual([]);
});

describe("seed", () => {
  test("makes the same animals from the same seed, and others from another", async () => {
    const made: string[][] = [];
    for (const seed of ["7", "7", "8"]) {
      using here = storePlace();
      const { exitCode, stderr } = await here.run("seed", "--count", "5500", "--seed", seed);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: expect.stringMatching(/^Added 5,500 animals to .*, ids 1 to 5500, with 2,\d{3} orders\.\n$/),
      });
      const orders = await here.run("export", "--orders", "-", "--format", "ndjson");
      made.push([...(await here.animals()), ...orders.stdout.trim().split("\n")]);
    }
    expect(made[1]).toEqual(made[0] as string[]);
    expect(made[2]).not.toEqual(made[0] as string[]);
    for (const part of [
      "placed",
      "approved",
      "delivered",
      "cancelled",
      "available",
      "pending",
      "sold",
      "Luna",
      "小白",
      "Мурка",
    ]) {
      expect(made[0]?.join("")).toContain(part);
    }
  });
});

test("a terminal shows the progress", async () => {
  using here = storePlace();
  await here.write("many.csv", rows(2000));
  await using program = startOnTerminal(["import", "many.csv"], here);
  expect(await program.exited).toBe(0);
  expect(program.shown()).toMatch(/read {2}█{24} {2}100 % {2}2,000 animals/);
  expect(program.shown()).toMatch(/publish {2}█{24} {2}100 % {2}2,000 animals/);
  expect(program.shown()).toContain("Imported 2,000 animals into ");
});

test("Ctrl+C in the middle of an export leaves no file and the terminal as it was", async () => {
  using here = storePlace();
  await here.create(MANY);
  for (;;) {
    await using program = startOnTerminal(["export", "all.csv"], here);
    await program.shows("░");
    program.type("\x03");
    // On a busy machine the export may have ended before the key arrives.
    if ((await program.exited) === 0) {
      rmSync(here.path("all.csv"));
      continue;
    }
    expect(await program.exited).toBe(130);
    await program.shows("animal-store: interrupted. all.csv was not written.\n");
    break;
  }
  expect(readdirSync(here.cwd)).toEqual(["store"]);
});

test("no command overwrites the store or the file that it reads", async () => {
  using here = storePlace();
  await here.create(5);
  await here.write("animals.csv", "name,categoryId\na,1\nb,x\n");
  const refused = (stderr: string) => ({ exitCode: 1, stdout: "", stderr: `animal-store: ${stderr}\n` });
  const itself = refused("cannot write store/animals.db: it is a store; name another file.");
  expect(await here.run("export", "store/animals.db", "--format", "csv")).toEqual(itself);
  expect(await here.run("import", "animals.csv", "--skip-bad", "store/animals.db")).toEqual(itself);
  expect(await here.run("import", "animals.csv", "--dry-run", "--skip-bad", "./animals.csv")).toEqual(
    refused("./animals.csv is the imported file itself; name another file for its bad rows."),
  );
  expect(here.read("animals.csv")).toBe("name,categoryId\na,1\nb,x\n");
  expect((await here.run("export", "all.csv")).stderr).toBe(
    `Exported 5 animals from ${here.store} to all.csv.\n`,
  );
});

test.each([
  [
    "export through/all.csv",
    "cannot write through/all.csv: there is no folder through; make it, or name another.",
  ],
  [
    "backup through/a.bak",
    "cannot write through/a.bak: there is no folder through; make it, or name another.",
  ],
  [
    "import through --format csv --skip-bad through/bad",
    "cannot write through/bad: there is no folder through; make it, or name another.",
  ],
  ["restore through/a.bak", "there is no file through/a.bak; name a backup."],
])("%s, through a file as if it were a folder, ends with one line", async (command, complaint) => {
  using here = storePlace();
  await here.create(1);
  await here.write("through", "");
  expect(await here.run(...command.split(" "))).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `animal-store: ${complaint}\n`,
  });
});
