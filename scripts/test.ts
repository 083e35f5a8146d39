// Runs tests and says at the end which it did not run:
//
//   bin/runtime scripts/test.ts [quick | SUITE] [FILE or option of `bun test` …]
//
// Without a name it runs the tests of `npm test`. Its exit code is that of the runner.
import { join } from "node:path";
import { QUICK, SUITES } from "../suites/catalogue.ts";
import { startSharedPostgres } from "../test/support/postgres.ts";

const ROOT = join(import.meta.dir, "..");
/** Each file has a fresh global object. Tests wait for much of their time, so two cores can run three files at once. */
const [SEVERAL_AT_ONCE, ONE_AT_A_TIME] = ["--parallel=3", "--parallel=1"];

const [first, ...rest] = Bun.argv.slice(2);
const suite = SUITES.find(({ name }) => name === first);
const isQuick = first === "quick";
const given = first === undefined || suite || isQuick ? rest : [first, ...rest];
const isWhole = given.every((argument, at) => argument.startsWith("-") || given[at - 1] === "-t");

// Some thirty files use a PostgreSQL that none of them breaks: one server for all saves each file its start.
const wantsPostgres = isWhole && !suite && !isQuick && !process.env.TEST_DATABASE_URL;
await using postgres = wantsPostgres ? await startSharedPostgres() : undefined;

const selected = suite ? [`./suites/${suite.name}`] : isQuick ? [...QUICK] : ["./test"];
const runner = Bun.spawn(
  [
    ...(suite?.within ? [join(ROOT, suite.within)] : []),
    join(ROOT, "bin/runtime"),
    "test",
    suite ? ONE_AT_A_TIME : SEVERAL_AT_ONCE,
    ...given,
    ...(isWhole ? selected : []),
  ],
  {
    cwd: ROOT,
    env: {
      ...process.env,
      ...(isQuick && { TEST_QUICK: "1" }),
      ...(postgres && { TEST_DATABASE_URL: postgres.url }),
    },
    stdio: ["inherit", "inherit", "inherit"],
  },
);
// A terminal sends its signals to both processes; any other sender knows only this one.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => runner.kill("SIGTERM"));
process.exitCode = await runner.exited;
if (isWhole && !suite) {
  console.error("\nNot run:");
  for (const { command, shows } of notRun()) console.error(`  ${command.padEnd(28)} ${shows}`);
}

function notRun() {
  const rest = SUITES.map(({ name, shows }) => ({ command: `npm run test:${name}`, shows }));
  const whole = { command: "npm test", shows: "PostgreSQL, processes that are killed, browsers, commands" };
  return isQuick ? [whole, ...rest] : rest;
}
