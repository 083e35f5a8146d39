import { dirname, join } from "node:path/posix";

/** Source files by their path from the root of the repository, for example `src/domain/animal.ts`. */
export type Tree = Readonly<Record<string, string>>;

/**
 * The arrows of ARCHITECTURE.md: what the files of a room may import besides their own room. A room is a
 * folder or a file directly in `src`, or a folder beside it.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  // It runs the program and reports how a command failed: the failures are those of the rooms that commands use.
  main: ["program", "process", "config", "domain", "stores"],
  program: ["commands", "cli", "process", "config", "formats", "domain", "system"],
  commands: [
    "cli",
    "service",
    "sandbox",
    "http",
    "stores",
    "config",
    "operations",
    "domain",
    "contract",
    "verify",
    "judge",
    "receiver-judge",
    "relay",
    "mcp",
    "formats",
    "process",
    "system",
  ],
  // The parts of a running service.
  service: [
    "process",
    "workers",
    "http",
    "stores",
    "config",
    "telemetry",
    "operations",
    "observations",
    "domain",
  ],
  // What commands share, and no service needs: opening the store, flags, output, progress.
  cli: ["process", "config", "stores", "formats", "observations", "domain", "system"],
  // What a command and a service both are: a process that reports why it failed, heeds signals and writes whole files.
  process: ["stores", "domain"],
  // It serves the pages, and hands over what they are made of.
  http: ["operations", "feed", "observations", "domain", "web", "system"],
  operations: ["domain"],
  // It reads events for every reader of this process, streams among them.
  feed: ["observations", "domain", "system"],
  workers: ["http", "observations", "domain", "system"],
  stores: ["observations", "domain", "system"],
  telemetry: ["observations", "domain", "system"],
  // A store knows what its URL may say.
  config: ["domain", "stores"],
  // What happened, and who hears of it: log, metrics and traces. An event is one of the feed's.
  observations: ["domain"],
  domain: [],
  // It reads and writes CSV as the commands do.
  web: ["client", "csv"],
  // It is another program's: it knows the service by its OpenAPI document alone.
  client: [],
  // Text alone: nothing of the service, nor of a runtime.
  csv: [],
  formats: ["domain", "csv"],
  // What any room may need: waiting with a limit, a peer's heartbeat, free descriptors, this version, what a wrong name meant.
  system: [],
  // What every server of this interface must do: it knows no server.
  contract: [],
  // It puts a layer around a service, which knows nothing of it: another program could do so.
  sandbox: [
    "service",
    "http",
    "stores",
    "config",
    "operations",
    "observations",
    "domain",
    "system",
    // It delivers as a relay does.
    "relay",
  ],
  // A judge that shared the service's code would share its mistakes.
  verify: ["contract"],
  // It judges clients by the journal of a sandbox, which could be any server's.
  judge: [],
  // It signs and posts as the relay does, and reports as the judge of clients does.
  "receiver-judge": ["judge", "relay"],
  // A client of any service, which knows nothing of it: neither the relay's addresses nor its secrets.
  relay: ["client"],
  // A client of any service too: an agent knows of the service what its document says.
  mcp: ["client"],
  // It measures stores directly too, starts servers with what the tests have for that, and reads HTTP as the judge does.
  bench: ["domain", "stores", "system", "client", "scripts", "test", "contract", "verify"],
};

/**
 * The folders of `src/http`, from the lowest: each may import the folders named here and none of the files directly in
 * `src/http`, which put the folders together.
 */
export const HTTP_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  "rate-limit": [],
  request: ["runtime"],
  response: ["request", "rate-limit"],
  cache: ["request", "response"],
  events: ["response"],
  openapi: ["request", "response"],
  pages: ["runtime", "request", "response"],
};

/** Rooms that take nothing else from outside than what is named: packages, and parts of the runtime. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  csv: [],
  domain: ["zod"],
  operations: ["zod"],
  client: [],
  // No package: the command makes log lines and metrics of what a relay reports.
  relay: [
    "bun:sqlite",
    "node:crypto",
    "node:dns/promises",
    "node:fs/promises",
    "node:net",
    "node:timers/promises",
  ],
};

/** The one file that may hand on names of others: what a package exports is its public interface. */
const ENTRY = "client/main.ts";

/** What may stand only in some rooms: the clock, chance and the environment come in as arguments. */
const CONFINED: readonly { readonly what: RegExp; readonly allowed: (room: string) => boolean }[] = [
  // The samples that pages show read a key from the environment; the pages themselves run in browsers.
  {
    what: /\b(?:process|Bun|import\.meta)\.env\b/,
    allowed: (room) => room === "config" || room === "bench" || room === "web",
  },
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\bgetRandomValues\b|\brandomUUID/,
    allowed: (room) => room !== "domain" && room !== "operations",
  },
];

const HANDS_ON = /^export\b[\s\w{},*]*\bfrom\s*"/m;

/** Everything in a tree that the architecture does not allow, each as a line that names the file. */
export function violations(tree: Tree): string[] {
  const found: string[] = [];
  for (const [file, text] of Object.entries(tree)) {
    const code = withoutComments(text);
    for (const imported of importsOf(code)) {
      if (!isAllowed(file, imported)) found.push(`${file} imports ${imported}`);
    }
    for (const { what, allowed } of CONFINED) {
      const [use] = what.exec(code) ?? [];
      if (use !== undefined && !allowed(roomOf(file))) found.push(`${file} uses ${use}`);
    }
    if (/(?:^|\/)index\.tsx?$/.test(file) || (file !== ENTRY && HANDS_ON.test(code))) {
      found.push(`${file} hands on names of other files`);
    }
  }
  return [...found, ...cycles(tree)];
}

function isAllowed(file: string, imported: string): boolean {
  const room = roomOf(file);
  if (!imported.startsWith(".")) return PACKAGES[room]?.includes(imported) ?? true;
  const path = join(dirname(file), imported);
  if (path === "package.json") return file === "src/system/version.ts";
  const other = roomOf(path);
  const [folder, otherFolder] = [httpFolderOf(file), httpFolderOf(path)];
  if (folder !== undefined && other === "http") {
    return otherFolder === folder || (HTTP_FOLDERS[folder] ?? []).includes(otherFolder ?? "");
  }
  return other === room || (ARROWS[room]?.includes(other) ?? false);
}

/** The room that a file belongs to: a folder or file of `src`, or a folder beside it. */
export function roomOf(file: string): string {
  return (file.replace(/^src\//, "").split("/")[0] ?? "").replace(/\.ts$/, "");
}

/** The folder of `src/http` that a file is in, if it is in one. */
export function httpFolderOf(file: string): string | undefined {
  return /^src\/http\/([^/]+)\//.exec(file)?.[1];
}

/** Each import as it is written: static or called, of values or of types, and the files of threads. */
function importsOf(code: string): string[] {
  const written =
    /^(?:import|export)\b[\s\w{},*]*\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"|\bnew URL\(\s*"([^"]+)"/gm;
  return [...code.matchAll(written)].map((match) => match.slice(1).find((name) => name !== undefined) ?? "");
}

/** The files that import each file of a tree, by its path. */
export function importers(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [file, text] of Object.entries(tree)) {
    for (const imported of importsOf(withoutComments(text))) {
      const path = join(dirname(file), imported);
      found.set(path, [...(found.get(path) ?? []), file]);
    }
  }
  return found;
}

/** All files and packages that are loaded when a file is: neither types nor what it imports only when it is called. */
export function loadedWith(tree: Tree, file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const values = /^(?:import|export)\s(?!type\b)[\s\w{},*]*\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"/gm;
  for (const [, from, effect] of withoutComments(tree[file] ?? "").matchAll(values)) {
    const imported = from ?? effect ?? "";
    loadedWith(tree, imported.startsWith(".") ? join(dirname(file), imported) : imported, found);
  }
  return found;
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/?\*|\/\/).*$|\s\/\/.*$/gm, "");
}

/** Files that import each other in a circle, types included: neither could be read without the other. */
function cycles(tree: Tree): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file) || path.includes(file)) return;
    for (const imported of importsOf(withoutComments(tree[file] ?? ""))) {
      if (imported.startsWith(".")) visit(join(dirname(file), imported), [...path, file]);
    }
    done.add(file);
  };
  for (const file of Object.keys(tree)) visit(file, []);
  return found;
}
