import { Command } from "commander";
import { EXAMPLES } from "./cli/examples.ts";
import { addOutputOptions, addSettings } from "./cli/options.ts";
import { printNow } from "./cli/output.ts";
import { SETTING_NAMES } from "./config/settings.ts";
import { STATUSES } from "./domain/animal.ts";
import { VERSION } from "./version.ts";

// Commands are imported when they are called, so that each starts no slower than it must.

const STORE = ["DATABASE_URL"] as const;
const STORE_AND_ENVIRONMENT = ["DATABASE_URL", "ENVIRONMENT"] as const;
const DOCUMENT = ["HOST", "PORT", "ENVIRONMENT", "STABILITY", "PRODUCTION_URL", "STAGING_URL"] as const;

/** Every command and option of the program; `--help` and the completions of shells are made from it. */
export function createProgram(args: readonly string[]): Command {
  const program = new Command("animal-store")
    .description("The service behind a store's stock of animals.")
    .version(VERSION)
    .showHelpAfterError("(--help shows what there is)")
    .configureOutput({
      writeOut: printNow,
      // As every other complaint of the program begins.
      outputError: (text, write) => write(text.replace(/^error: /, "animal-store: ")),
    })
    .exitOverride();
  // `serve` is the default, but not where a word was given that is no command: that is a mistake.
  addServe(program, args[0] === undefined || args[0].startsWith("-"));
  addKeys(program);
  addAnimals(program);
  addData(program);
  addMigrate(program);
  addDocuments(program);
  addVerify(program);
  program
    .command("completion <shell>")
    .description("print the script that completes these commands in bash, zsh or fish")
    .action(async (shell) => (await import("./commands/completion.ts")).printCompletion(program, shell));
  addExamples(program);
  return program;
}

function addExamples(command: Command, path = ""): void {
  const examples = EXAMPLES[path];
  if (examples)
    command.addHelpText("after", `\nExamples:\n${examples.map((each) => `  $ ${each}\n`).join("")}`);
  for (const each of command.commands) addExamples(each, `${path} ${each.name()}`.trim());
}

function addServe(program: Command, isDefault: boolean): void {
  addSettings(program.command("serve", { isDefault }), SETTING_NAMES)
    .description("serve the interface (the default)")
    .action(async (options) => (await import("./commands/serve.ts")).serve(options));
  addOutputOptions(addSettings(program.command("ready"), ["HOST", "PORT", "TLS_CERT", "TLS_KEY"]))
    .description(
      "tell whether the service with this configuration takes requests: exit code 1 where it does not",
    )
    .action(async (options) => (await import("./commands/ready.ts")).checkReady(options));
  program
    .command("worker", { hidden: true })
    .action(async () => (await import("./commands/worker.ts")).work());
}

function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description("make, list and end API keys, also while the service runs");
  addOutputOptions(addSettings(keys.command("create"), STORE_AND_ENVIRONMENT))
    .description("make a key and print it, alone, on standard output")
    .requiredOption("--name <name>", "what the key is for")
    .option("--scopes <scopes>", "what it may do, with commas between (default: everything)")
    .option("--expires <when>", "when it ends: a duration such as 90d, or an RFC 3339 time (default: never)")
    .action(async (options) => (await import("./commands/keys.ts")).createKey(options));
  addOutputOptions(addSettings(keys.command("list"), STORE))
    .description("list the keys, in the order of their creation")
    .action(async (options) => (await import("./commands/keys.ts")).listKeys(options));
  addOutputOptions(addSettings(keys.command("revoke <id>"), STORE))
    .description("end a key at once")
    .action(async (id, options) => (await import("./commands/keys.ts")).revokeKey(id, options));
  addOutputOptions(addSettings(keys.command("rotate <id>"), STORE_AND_ENVIRONMENT))
    .description("make a key's successor; both work during the grace period")
    .option("--grace <duration>", "how long the old key still works", "1h")
    .action(async (id, options) => (await import("./commands/keys.ts")).rotateKey(id, options));
}

function addAnimals(program: Command): void {
  const animals = program
    .command("animals")
    .description("correct the stock, also while the service runs, and show what was corrected");
  addOutputOptions(addSettings(animals.command("set <id...>"), STORE))
    .description("change animals, all of them or none")
    .option("--status <status>", `their availability: ${STATUSES.join(", ")}`)
    .option("--name <name>", "their name")
    .option("--category-id <id>", "the category that they belong to")
    .action(async (ids, options) => (await import("./commands/animals.ts")).setAnimals(ids, options));
  addOutputOptions(addSettings(animals.command("remove <id...>"), STORE))
    .description("remove animals, all of them or none; their ids are never given again")
    .action(async (ids, options) => (await import("./commands/animals.ts")).removeAnimals(ids, options));
  addOutputOptions(addSettings(animals.command("log [id]"), STORE))
    .description("show who corrected which animals, and when; of one animal or of all")
    .option("--last <number>", "how many of the latest corrections", "100")
    .action(async (id, options) => (await import("./commands/animals.ts")).showCorrections(id, options));
}

function addData(program: Command): void {
  addOutputOptions(addSettings(program.command("backup <file>"), STORE))
    .description("copy the store into a file and check the copy, also while the service runs")
    .option("--force", "replace the file where it exists")
    .action(async (file, options) => (await import("./commands/backup.ts")).backup(file, options));
  addOutputOptions(addSettings(program.command("restore <file>"), STORE))
    .description("put a backup in the place of the store, while no service runs")
    .option("--force", "replace the store where it exists; it is kept beside")
    .option("--ids-from <id>", "the least id to give next, where no store is there to tell which were given")
    .action(async (file, options) => (await import("./commands/restore.ts")).restore(file, options));
  addOutputOptions(addSettings(program.command("import <file>"), STORE))
    .description("add the animals of a CSV, NDJSON or JSON file (- is standard input), all of them or none")
    .option("--format <format>", "csv, ndjson or json (an array), where the file's name does not say it")
    .option("--ids <choice>", "keep the ids that the file has, or give new ones: keep or new", "keep")
    .option("--dry-run", "check everything and change nothing")
    .option("--skip-bad <file>", "put bad rows into a file, and import the rest")
    .option("--force", "replace that file where it exists")
    .option(
      "--commit-every <animals>",
      "publish in parts, so that creates of a service wait less (default: at once)",
    )
    .option("--again", "import a file that was imported before once more")
    .action(async (file, options) => (await import("./commands/import.ts")).importAnimals(file, options));
  addOutputOptions(addSettings(program.command("export [file]"), STORE))
    .description("write every animal to a CSV, NDJSON or JSON file, or to standard output")
    .option("--force", "replace the file where it exists")
    .option("--format <format>", "csv, ndjson or json (an array), if the file's name does not say it")
    .action(async (file, options) =>
      (await import("./commands/export.ts")).exportAnimals(file ?? "-", options),
    );
  addOutputOptions(program.command("copy"))
    .description("copy all of a store into an empty one, either way between SQLite and PostgreSQL")
    .requiredOption("--from <url>", "the store to copy")
    .requiredOption("--to <url>", "the empty store to fill")
    .action(async (options) => (await import("./commands/copy.ts")).copy(options));
  addOutputOptions(addSettings(program.command("seed"), STORE))
    .description("add made-up animals to try things with, all of them or none")
    .requiredOption("--count <animals>", "how many")
    .option("--seed <number>", "the same number makes the same animals", "1")
    .action(async (options) => (await import("./commands/seed.ts")).seed(options));
}

function addMigrate(program: Command): void {
  addOutputOptions(addSettings(program.command("migrate"), STORE))
    .description(
      "make the store, or change its schema to that of this version, where the service's role may not",
    )
    .option("--check", "only tell whether that is needed: exit code 1 where it is")
    .action(async (options) => (await import("./commands/migrate.ts")).migrateStore(options));
}

function addDocuments(program: Command): void {
  addSettings(program.command("openapi"), DOCUMENT)
    .description("print the OpenAPI document")
    .option("--yaml", "as YAML")
    .action(async (options) => (await import("./commands/openapi.ts")).printOpenApi(options));
  addOutputOptions(addSettings(program.command("config"), SETTING_NAMES))
    .description("print the configuration in force, and where each value came from")
    .action(async (options) => (await import("./commands/config.ts")).showConfig(options));
}

function addVerify(program: Command): void {
  addOutputOptions(program.command("verify"))
    .description("put the promises to the proof, on instances of its own or on a service that runs")
    .option(
      "--database <url>",
      "the kind of store and the disk: sqlite:FOLDER, or postgres://… of an empty database",
    )
    .option("--minutes <number>", "how long to try (default: 1)")
    .option("--seed <number>", "repeats the plan of an earlier run (default: a new one, which is told)")
    .option("--only <checks>", "some of sync, contract, model, kill, backup and fuzz, separated by commas")
    .option(
      "--url <address>",
      "checks the contract of the service at this base address; adds marked animals there",
    )
    .option("--key <key>", "an API key of that service")
    .action(async (options) => (await import("./commands/verify.ts")).verify(options));
}
