// Runs tests and says at the end which it did not run:
//
//   bin/runtime scripts/test.ts [quick | SUITE] [FILE or option of `bun test` …]
//
// Without a name it runs the tests of `npm test`. Its exit code is that of the runner.
import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { QUICK, SUITES, type Suite } from "../suites/catalogue.ts";
import { missingPackages } from "../suites/missing-packages.ts";
import { shareOf } from "../suites/share.ts";
import { guardedFolder } from "../test/support/postgres/guarded-folder.ts";
import { startSharedPostgres } from "../test/support/postgres.ts";
import { tiedBy } from "../test/support/program.ts";

const ROOT = join(import.meta.dir, "..");
/** Each file has a fresh global object. Tests wait for much of their time, so two cores can run four files at once. */
const [SEVERAL_AT_ONCE, ONE_AT_A_TIME] = ["--parallel=4", "--parallel=1"];
/** Tests of one file that may run at once wait for processes to start: one more than there are processors. */
const CONCURRENT = `--max-concurrency=${availableParallelism() + 1}`;
/** How long each file took in one run, so that a run begins with the longest: `npm test -- --update-timings` writes it. */
const TIMINGS = join(ROOT, "test/timings.json");
/** So many files are shown at the end. */
const SLOWEST = 10;
/** No test of `npm test` takes nearly as long, so a hang is found soon. What a suite does may take longer. */
const HANG_MS = 60_000;

const [first, ...rest] = Bun.argv.slice(2);
const suite = SUITES.find(({ name }) => name === first);
const isQuick = first === "quick";
const given = first === undefined || suite || isQuick ? rest : [first, ...rest];
const isWhole = given.every((argument, at) => argument.startsWith("-") || given[at - 1] === "-t");

const missing = suite ? missingPackages(suite.packages) : [];
if (missing.length > 0) {
  console.error(
    `The suite ${suite?.name} needs Debian packages that this machine lacks: apt-get install ${missing.join(" ")}`,
  );
  process.exit(1);
}

// A run that is killed leaves nothing behind: a guard removes this folder, and the runner hears of it as of a SIGTERM.
using folder = guardedFolder();
// PostgreSQL, which runs as another user when root runs the tests, has its own folder in it.
chmodSync(folder.path, 0o711);

// Some thirty files use a PostgreSQL that none of them breaks: one server for all saves each file its start.
const wantsPostgres = isWhole && !suite && !isQuick && !process.env.TEST_DATABASE_URL;
await using postgres = wantsPostgres ? await startSharedPostgres() : undefined;

const timings = given.includes("--update-timings") ? TIMINGS : join(folder.path, "timings.json");
if (timings !== TIMINGS) copyFileSync(TIMINGS, timings);

const runsSuite = suite !== undefined || given.some((argument) => /^(?:\.\/)?suites\//.test(argument));
const selected = suite ? testsOf(suite) : isQuick ? [...QUICK] : ["./test"];
const runner = Bun.spawn(
  [
    ...tiedBy("TERM"),
    ...(suite?.within ? [join(ROOT, suite.within)] : []),
    join(ROOT, "bin/runtime"),
    "test",
    suite && !suite.waits ? ONE_AT_A_TIME : SEVERAL_AT_ONCE,
    CONCURRENT,
    ...(runsSuite ? [] : [`--timeout=${HANG_MS}`, `--timings=${timings}`, "--update-timings"]),
    ...given,
    ...(isWhole ? selected : []),
  ],
  {
    cwd: ROOT,
    env: {
      ...process.env,
      TMPDIR: folder.path,
      ...(isQuick && { TEST_QUICK: "1" }),
      ...(postgres && { TEST_DATABASE_URL: postgres.url }),
    },
    stdio: ["inherit", "inherit", "inherit"],
  },
);
// The runner ends all that it has started. A terminal sends its signals to both processes; any other sender knows this one.
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
    runner.kill(signal);
  });
process.exitCode = await runner.exited;
if (isWhole && !suite && !isStopped) {
  console.error("\nThe slowest files:");
  for (const { file, seconds } of slowest()) console.error(`  ${seconds.toFixed(1).padStart(5)} s  ${file}`);
  console.error("\nNot run:");
  for (const { command, shows } of notRun()) console.error(`  ${command.padEnd(28)} ${shows}`);
}

/** The folder of a suite, or today's share of its files. */
function testsOf({ name, rotates }: Suite): readonly string[] {
  const folder = `./suites/${name}`;
  if (!rotates) return [folder];
  const files = [...new Bun.Glob("*.test.ts").scanSync(join(ROOT, folder))].sort();
  return shareOf(files, `files of ${name}`).map((file) => `${folder}/${file}`);
}

function slowest() {
  const { files } = JSON.parse(readFileSync(timings, "utf8")) as { files: Record<string, number> };
  return Object.entries(files)
    .filter(([file]) => existsSync(join(ROOT, file)))
    .filter(([file]) => !isQuick || QUICK.some((beginning) => file.startsWith(beginning)))
    .map(([file, milliseconds]) => ({ file, seconds: milliseconds / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST);
}

function notRun() {
  const rest = SUITES.map(({ name, shows }) => ({ command: `npm test -- ${name}`, shows }));
  const whole = { command: "npm test", shows: "PostgreSQL, processes that are killed, browsers, commands" };
  return isQuick ? [whole, ...rest] : rest;
}
