import { Command, Help, Option } from "commander";
import { FLAGS } from "./cli/animal-flags.ts";
import { assertFilesNamed } from "./cli/assert-files-named.ts";
import { withValues } from "./cli/completions.ts";
import { EXAMPLES } from "./cli/examples.ts";
import { withHelpRead } from "./cli/help-command.ts";
import { addFlags, addOutputOptions, addSettings } from "./cli/options.ts";
import { SETTING_NAMES, type SettingName } from "./config/settings.ts";
import { EVENT_TYPES } from "./domain/change-event.ts";
import { showable } from "./domain/quote.ts";
import { FORMATS } from "./formats/format.ts";
import { ID_CHOICES } from "./formats/row-ids.ts";
import { printNow } from "./process/standard-output.ts";
import { usageError } from "./process/usage-error.ts";
import { VERSION } from "./system/version.ts";

// Each command is imported when it is called, so that no command pays for loading another.

/** The least width of a description, in characters, next to the longest flag on a terminal of 80 columns. */
const HELP_WRAP_MIN = 24;

const SANDBOX = [
  "CORS_ORIGINS",
  "RATE_LIMIT",
  "EVENTS_KEEP",
  "SHUTDOWN_SECONDS",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "LOG_REQUESTS",
] as const;
const RELAY = ["METRICS_PORT", "METRICS_HOST", "LOG_LEVEL", "LOG_FORMAT", "SHUTDOWN_SECONDS"] as const;
const DOCUMENT = ["HOST", "PORT", "ENVIRONMENT", "STABILITY", "PRODUCTION_URL", "STAGING_URL"] as const;

/** Runs what a command line asks for. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = createProgram(args);
  await program.parseAsync(withHelpRead(program, args), { from: "user" });
}

/** Every command and option of the program. `--help` and shell completions follow from it. */
export function createProgram(args: readonly string[]): Command {
  const program = new Command("animal-store")
    .description("Serves a store's stock of animals over HTTP, and manages its data and keys.")
    .version(VERSION)
    .showHelpAfterError("(--help lists commands and options)")
    .configureOutput({
      writeOut: printNow,
      // Like every other error message of the program.
      outputError: (text, write) => write(showable(usageError(text).replace(/^error: /, "animal-store: "))),
    })
    .configureHelp({
      minWidthToWrap: HELP_WRAP_MIN,
      // The library puts a default in quotes, which nobody types.
      optionDescription: (option) =>
        new Help().optionDescription(option).replace(/\(default: "(.*)"\)$/, "(default: $1)"),
    })
    .hook("preAction", (_, command) => assertFilesNamed(command))
    .exitOverride();
  // `serve` is the default, except after a word that is not a command: that is a mistake.
  addServe(program, args[0] === undefined || args[0].startsWith("-"));
  addSandbox(program);
  addKeys(program);
  addAnimals(program);
  addData(program);
  addEvents(program);
  addMigrate(program);
  addDocuments(program);
  addVerify(program);
  addRelay(program);
  addMcp(program);
  program
    .command("completion <shell>")
    .description("print the completion script for bash, zsh or fish")
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
    .description("serve the API (the default command)")
    .action(async (options) => (await import("./commands/serve.ts")).serve(options));
  addOutputOptions(addSettings(program.command("ready"), ["HOST", "PORT", "TLS_CERT", "TLS_KEY"]))
    .description(
      "check whether the service with this configuration is ready for requests; exit with 1 if it is not",
    )
    .action(async (options) => (await import("./commands/ready.ts")).checkReady(options));
  program
    .command("worker", { hidden: true })
    .action(async () => (await import("./commands/worker.ts")).work());
}

function addSandbox(program: Command): void {
  const sandbox = addSettings(addFlags(program.command("sandbox"), ["HOST", "PORT"]), SANDBOX)
    .description(
      "serve sample animals with public keys, a clock that can be set and faults on demand, to test clients against",
    )
    .option("--store <file>", "keep the store of the first space in this file (default: in memory)")
    .option("--empty", "begin without animals instead of with the examples")
    .option("--animals <number>", "begin with this number of sample animals, and their orders")
    // As `seed` calls it.
    .addOption(new Option("--count <number>").hideHelp())
    .option(
      "--seed <number>",
      "the same number gives the same sample animals, delays and faults (default: 1)",
    )
    .option("--delay <ms>", "delay every response by this long, or by a time within a range: 200-800")
    .option(
      "--fault <fault>",
      "let every request fail in this way, or some with a probability: lost, 503:0.1; may be given several times",
      (fault: string, others: readonly string[] = []) => [...others, fault],
    )
    .option("--strict", "refuse query parameters, headers and members of bodies that nobody declares")
    .option("--fixtures <file>", "begin with the animals of a CSV, NDJSON or JSON file, as `import` reads it")
    .option(
      "--allow-host <names>",
      "names, separated by commas, by which clients reach the control interface besides localhost",
    )
    .option(
      "--ready-file <file>",
      "write the address and the keys to this file, as JSON, when the sandbox is ready; it is removed at the end",
    )
    .option(
      "--until-stdin-ends",
      "stop when the standard input ends, as it does when the process that started it is gone",
    )
    .action(async (options) => (await import("./commands/sandbox.ts")).runSandbox(options));
  addJudgeOptions(sandbox.command("judge <command...>"))
    .description(
      "run a client's command against sandboxes, undisturbed and with faults, and judge the client by its requests; " +
        "the command gets ANIMAL_STORE_URL and API_KEY",
    )
    .option("--timeout <seconds>", "stop the command after this long, in each of its five runs", "120")
    .action(async (command, options) => (await import("./commands/judge.ts")).judgeClient(command, options));
  addJudgeOptions(sandbox.command("judge-receiver <url>"))
    .description(
      "post right and wrong deliveries to a receiver of webhooks, and judge it by its responses and by what it then does",
    )
    .option(
      "--timeout <seconds>",
      "how long the receiver may take to do its work; a response may take as long, up to 15",
      "15",
    )
    .option(
      "--secret-file <file>",
      "a file with the secret, whsec_…, or with two during a rotation (RELAY_SECRET)",
    )
    .option("--retired-secret-file <file>", "a file with a secret that the receiver must have forgotten")
    .option("--probe <url>", "an address of the receiver that shows what it has done")
    .option(
      "--sandbox <url>",
      "the control address of a sandbox that the receiver calls for each event (API_KEY: its key)",
    )
    .option("--seed <number>", "repeat the order of an earlier run (default: a new one, which is printed)")
    .option("--allow-private", "also post to http addresses and private ones beyond this machine")
    // `sandbox` has a `--seed`, too, and the library gives it what both have.
    .action(async (url, _, command) =>
      (await import("./commands/judge-receiver.ts")).judgeReceiverAt(url, command.optsWithGlobals()),
    );
}

/** What every judge takes: what counts, and where its reports go. */
function addJudgeOptions(command: Command): Command {
  return addOutputOptions(command)
    .option("--threshold <score>", "exit with 1 below this score, from 0 to 100", "100")
    .option("--skip <rules>", "rules that do not count, separated by commas")
    .option("--junit <file>", "write the judgement as JUnit's XML to this file")
    .option("--badge <file>", "write the score as a badge (SVG) to this file")
    .option("--force", "replace these files if they exist");
}

function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description("create, list, revoke and rotate API keys, also while the service runs");
  onStore(keys, "create", ["DATABASE_URL", "ENVIRONMENT"])
    .description("create a key and print only the key on standard output")
    .requiredOption("--name <name>", "what the key is for")
    .option("--scopes <scopes>", "what it may do: scopes separated by commas (default: all)")
    .option(
      "--expires <when>",
      "when it expires: a duration, for example 90d, or an RFC 3339 time (default: never)",
    )
    .action(async (options) => (await import("./commands/keys.ts")).createKey(options));
  onStore(keys, "list")
    .description("list the keys in the order of their creation")
    .action(async (options) => (await import("./commands/keys.ts")).listKeys(options));
  onStore(keys, "revoke <id>")
    .description("revoke a key: it fails from its next request on")
    .action(async (id, options) => (await import("./commands/keys.ts")).revokeKey(id, options));
  onStore(keys, "rotate <id>", ["DATABASE_URL", "ENVIRONMENT"])
    .description("create a key's successor; both keys work during the grace period")
    .option("--grace <duration>", "how long the old key still works", "1h")
    .action(async (id, options) => (await import("./commands/keys.ts")).rotateKey(id, options));
}

function addAnimals(program: Command): void {
  const animals = program
    .command("animals")
    .description("correct the stock, also while the service runs, and list the corrections");
  const set = onStore(animals, "set <id...>").description("change animals: all of them, or none");
  for (const { usage, help, values, removal } of FLAGS) {
    set.addOption(withValues(new Option(usage, help), values));
    if (removal) set.addOption(new Option(removal.name, removal.help));
  }
  set.action(async (ids, options) => (await import("./commands/animals.ts")).setAnimals(ids, options));
  onStore(animals, "remove <id...>")
    .description("remove animals: all of them, or none; their ids are never given again")
    .action(async (ids, options) => (await import("./commands/animals.ts")).removeAnimals(ids, options));
  onStore(animals, "log [id]")
    .description("list who corrected what, and when, for one animal or for all")
    .option("--last <number>", "how many corrections to list, the latest ones", "100")
    .action(async (id, options) => (await import("./commands/animals.ts")).showCorrections(id, options));
}

function addData(program: Command): void {
  onStore(program, "backup <file>")
    .description("copy an SQLite store into a file and check the copy, also while the service runs")
    .option("--force", "replace the file if it exists")
    .addOption(
      new Option(
        "--check",
        "write nothing; check a backup instead, and say what is in it and when it was made",
      ).conflicts("force"),
    )
    .action(async (file, options) => {
      const { backup, checkBackupFile } = await import("./commands/backup.ts");
      await (options.check ? checkBackupFile : backup)(file, options);
    });
  onStore(program, "restore <file>")
    .description("replace the SQLite store with a backup, while no service runs")
    .option("--force", "replace an existing store, which is kept beside the restored one")
    .option(
      "--ids-from <id>",
      "the lowest id to give animals and orders next, if no replaced store tells which ids were given",
    )
    .action(async (file, options) => (await import("./commands/restore.ts")).restore(file, options));
  onStore(program, "import <file>")
    .description("add the animals of a CSV, NDJSON or JSON file (- is standard input): all, or none")
    .option("--orders", "the file has orders; the store has their animals")
    .addOption(formatOption())
    .addOption(
      withValues(
        new Option("--ids <choice>", "keep the ids of the file, or assign new ones: keep or new"),
        ID_CHOICES,
      ).default("keep"),
    )
    .option("--dry-run", "check everything and change nothing")
    .option("--skip-bad <file>", "write the bad rows to a file, and import the others")
    .option("--force", "replace that file if it exists")
    .option(
      "--commit-every <animals>",
      "publish in batches of this size, so that creates of a service wait less (default: all at once)",
    )
    .option("--again", "import a file again that was imported before")
    .action(async (file, options) => (await import("./commands/import.ts")).importFile(file, options));
  onStore(program, "export [file]")
    .description("write every animal to a CSV, NDJSON or JSON file, or to standard output")
    .option("--orders", "write every order instead")
    .option("--force", "replace the file if it exists")
    .addOption(formatOption())
    .action(async (file, options) => (await import("./commands/export.ts")).exportFile(file ?? "-", options));
  addOutputOptions(program.command("copy"))
    .description("copy a whole store into an empty one, between SQLite and PostgreSQL in either direction")
    .requiredOption("--from <url>", "the store to copy")
    .requiredOption("--to <url>", "the empty store to fill")
    .action(async (options) => (await import("./commands/copy.ts")).copy(options));
  onStore(program, "seed")
    .description("add sample animals and orders: all of them, or none")
    .option("--count <animals>", "the number of animals")
    // As `sandbox` calls it.
    .addOption(new Option("--animals <animals>").hideHelp())
    .option("--seed <number>", "the same number gives the same animals and orders", "1")
    .action(async (options) => (await import("./commands/seed.ts")).addSamples(options));
}

/** A command that works on the store of its configuration, and reports what it did. */
function onStore(
  parent: Command,
  usage: string,
  settings: readonly SettingName[] = ["DATABASE_URL"],
): Command {
  return addOutputOptions(addSettings(parent.command(usage), settings));
}

function formatOption(): Option {
  const description = "csv, ndjson or json (an array), if the file name does not show it";
  return withValues(new Option("--format <format>", description), FORMATS);
}

function addEvents(program: Command): void {
  onStore(program, "events")
    .description("show whether changes are recorded as events, and which events are kept")
    .option(
      "--off",
      "record no more changes, on any instance, until a service with STABILITY=experimental starts",
    )
    .action(async (options) => (await import("./commands/events.ts")).manageEvents(options));
}

function addMigrate(program: Command): void {
  onStore(program, "migrate")
    .description(
      "create the store, or migrate its schema to this version, if the service's role may not do so",
    )
    .option("--check", "only check whether a migration is needed; exit with 1 if it is")
    .action(async (options) => (await import("./commands/migrate.ts")).migrateStore(options));
  onStore(program, "upgrade")
    .description(
      "say whether this version can take over an earlier version's store, what changes, and how to go back",
    )
    .requiredOption(
      "--check",
      "change nothing; the upgrade itself is the start of this version, or `migrate`",
    )
    .action(async (options) => (await import("./commands/upgrade.ts")).checkUpgrade(options));
}

function addDocuments(program: Command): void {
  addSettings(program.command("openapi"), DOCUMENT)
    .description("print the OpenAPI document")
    .option("--yaml", "print YAML instead of JSON")
    .action(async (options) => (await import("./commands/openapi.ts")).printOpenApi(options));
  addOutputOptions(addSettings(program.command("config"), SETTING_NAMES))
    .description("print the settings in force, and where each value came from")
    .action(async (options) => (await import("./commands/config.ts")).showConfig(options));
}

function addVerify(program: Command): void {
  addOutputOptions(program.command("verify"))
    .description("test the promises of the service on this machine, or the contract of a running service")
    .option(
      "--database <url>",
      "the kind of store and the disk to test: sqlite:FOLDER, or postgres://… of an empty database",
    )
    .option("--minutes <number>", "how long to test (default: 1)")
    .option("--seed <number>", "repeat the plan of an earlier run (default: a new one, which is printed)")
    .option(
      "--only <checks>",
      "run only these checks: sync, contract, model, kill, backup, fuzz, separated by commas",
    )
    .option("--url <address>", "test the running service at this base URL; this adds marked animals there")
    .option("--key <key>", "an API key of that service")
    .action(async (options) => (await import("./commands/verify.ts")).verify(options));
}

function addRelay(program: Command): void {
  addSettings(program.command("relay"), RELAY)
    .description(
      "post each change of animals and orders to an address, signed, in order and at least once, as webhooks; " +
        "the key of the service is in API_KEY",
    )
    .requiredOption("--from <url>", "the service's base address, which ends in /v1")
    .requiredOption("--to <url>", "the address to post to")
    .requiredOption("--position <file>", "the file that keeps what was delivered")
    .option(
      "--secret-file <file>",
      "a file with the secret, whsec_…, or with two during a rotation (RELAY_SECRET)",
    )
    .addOption(withValues(new Option("--only <types>", "deliver only events of these types"), EVENT_TYPES))
    .option(
      "--at-once <number>",
      "the most deliveries in progress; the events of an animal and its orders keep their order (default: 1)",
    )
    .option(
      "--from-now",
      "without a position, or where the feed does not continue at it, begin after the latest event",
    )
    .option("--replay-from <id>", "begin with this event, whatever the position says")
    .option("--allow-private", "also post to http addresses, and to private and loopback ones")
    .option(
      "--ready-file <file>",
      "write this file, as JSON, once the feed was read; it is removed at the end",
    )
    .action(async (options) => (await import("./commands/relay.ts")).runRelay(options));
}

function addMcp(program: Command): void {
  program
    .command("mcp")
    .description(
      "give an agent the operations that a key may use, as tools of the Model Context Protocol over standard input and " +
        "output; the key of the service is in API_KEY",
    )
    .option("--url <url>", "the service's base address, which ends in /v1 (ANIMAL_STORE_URL)")
    .option("--read-only", "offer only tools that change nothing")
    .action(async (options) => (await import("./commands/mcp.ts")).serveMcp(options));
}
