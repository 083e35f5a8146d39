// Prints the files that a create and a list enter on the main thread of a service, on each engine: those in
// whose functions something ran, by the runtime's control flow profiler. It counts how often each part of a function runs.
//
//   bin/runtime scripts/files-entered.ts [sqlite] [postgres]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { freePort } from "../test/support/free-port.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { Child } from "../verify/child.ts";

const ROOT = join(import.meta.dir, "..");
const ENGINES = ["sqlite", "postgres"] as const;
/** Requests before the first that counts: by then the key and the statements are known, and lazy code is loaded. */
const WARM_UP = 20;
/**
 * A part counts if it runs with each of so many requests, and not also each time without one: background jobs do not. Nor does
 * what only a change before the request makes necessary, since the first of them follows a read.
 */
const REPETITIONS = 8;
/** What follows a response on the main thread, such as the report of a commit, is soon over. */
const AFTERMATH_MS = 50;

/** How often each part of each file has run, by the file and the part's place in it. */
type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The debugger's connection to a process. */
class Inspector implements Disposable {
  readonly #socket: WebSocket;
  readonly #files = new Map<string, string>();
  readonly #waiting = new Map<number, (result: { basicBlocks?: BasicBlock[] }) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id, result, error, method, params } = JSON.parse(data as string);
      if (error) throw new Error(JSON.stringify(error));
      if (id) this.#waiting.get(id)?.(result);
      const { scriptId, url = "" } = params ?? {};
      if (method === "Debugger.scriptParsed" && url.startsWith(ROOT) && !url.includes("/node_modules/"))
        this.#files.set(scriptId, url.slice(ROOT.length + 1));
    };
  }

  /** @param address as the option `--inspect` of the process has it */
  static async open(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    const inspector = new Inspector(socket);
    for (const domain of ["Inspector", "Runtime", "Debugger"]) await inspector.#ask(`${domain}.enable`);
    return inspector;
  }

  /** What has run on the main thread since the process started; only what is in this checkout. */
  async counts(): Promise<Counts> {
    const counts = new Map<string, Map<string, number>>();
    for (const [sourceID, file] of this.#files) {
      const { basicBlocks = [] } = await this.#ask("Runtime.getBasicBlocks", { sourceID });
      counts.set(
        file,
        new Map(
          basicBlocks.map((block) => [`${block.startOffset}-${block.endOffset}`, block.executionCount]),
        ),
      );
    }
    return counts;
  }

  #ask(method: string, params: object = {}): Promise<{ basicBlocks?: BasicBlock[] }> {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

interface BasicBlock {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly executionCount: number;
}

/** The parts that ran more often in `after`, each as `FILE:PLACE`. */
function ran(before: Counts, after: Counts): Set<string> {
  return new Set(
    [...after].flatMap(([file, blocks]) =>
      [...blocks].flatMap(([place, count]) =>
        count > (before.get(file)?.get(place) ?? 0) ? [`${file}:${place}`] : [],
      ),
    ),
  );
}

async function measure(engine: string, url: string, folder: string): Promise<void> {
  const inspected = `ws://127.0.0.1:${freePort()}/inspect`;
  const options = [`--inspect=${inspected}`, `--config=${ROOT}/bunfig.toml`, "--no-env-file"];
  const { PATH, HOME } = process.env;
  const settings = { DATABASE_URL: url, PORT: "0", FIRST_KEY: "./key", LOG_FORMAT: "json" };
  // The profiler must be on before the first file is compiled.
  const profiled = { BUN_JSC_useControlFlowProfiler: "1", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  await using service = new Child(
    [join(ROOT, "bin/runtime"), ...options, join(ROOT, "src/main.ts"), "serve"],
    {
      cwd: folder,
      env: { PATH, HOME, ...settings, ...profiled },
    },
  );
  const address = await service.listens();
  const key = readFileSync(join(folder, "key"), "utf8").trim();
  using inspector = await Inspector.open(inspected);

  const call = async (init: RequestInit, path: string, expected: number) => {
    const headers = { authorization: `Bearer ${key}`, "accept-encoding": "identity" };
    const response = await fetch(address + path, { ...init, headers: { ...headers, ...init.headers } });
    if (response.status !== expected) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const headers = { "content-type": "application/json" };
  const create = () =>
    call({ method: "POST", body: '{"name":"Rex","categoryId":1}', headers }, "/v1/pets", 201);
  let lists = 0;
  // A page with a link to the next. No cache answers, since each has another URL; the service ignores the last parameter.
  const list = () => call({}, `/v1/pets?limit=5&list=${++lists}`, 200);

  for (let n = 0; n < WARM_UP; n++) {
    await create();
    await list();
  }
  const ranInEach = async (request: () => Promise<void>) => {
    let parts: ReadonlySet<string> | undefined;
    for (let n = 0; n < REPETITIONS; n++) {
      const before = await inspector.counts();
      await request();
      await Bun.sleep(AFTERMATH_MS);
      const now = ran(before, await inspector.counts());
      parts = parts?.intersection(now) ?? now;
    }
    return parts ?? new Set();
  };
  const idle = await ranInEach(async () => {});
  for (const [name, request] of Object.entries({ create, list })) {
    const parts = (await ranInEach(request)).difference(idle);
    const files = [...new Set([...parts].map((part) => part.replace(/:.*/, "")))].sort();
    console.log([`${name} on ${engine}: ${files.length} files`, ...files].join("\n  "));
  }
}

const chosen = process.argv.slice(2);
for (const engine of ENGINES) {
  if (chosen.length > 0 && !chosen.includes(engine)) continue;
  using folder = temporaryFolder();
  if (engine === "sqlite") await measure(engine, "sqlite:./store.db", folder.path);
  else {
    await using postgres = await startPostgres();
    await measure(engine, await postgres.createDatabase(), folder.path);
  }
}
