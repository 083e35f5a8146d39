import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "./child.ts";

/** A request that is sent again and again. */
export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer without what HTTP itself adds to it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One of the servers that are compared. */
export interface Side {
  readonly name: string;
  /**
   * Starts it as a process of its own.
   *
   * @param folder its own, and empty
   * @param model what ours answers: the others imitate it
   */
  start(folder: string, model: Answer): Promise<RunningSide>;
}

export interface RunningSide extends AsyncDisposable {
  readonly pid: number;
  readonly address: string;
  /** How many animals are on its disk, asked of the file itself; absent where nothing is stored. */
  stored?(): number;
}

const RUNTIME = join(import.meta.dir, "../bin/runtime");

/** Starts a server that says its address on standard output. */
export async function startServer(command: readonly string[], folder: string): Promise<RunningSide> {
  const child = spawn(command, folder);
  try {
    // Up to what follows the port: what it writes may come in pieces.
    const address = await child.said(/http:\/\/127\.0\.0\.1:\d+(?=\D)/);
    return { pid: child.pid, address, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts a side's own file as its server; the file finds the model with `givenModel`. */
export async function startFile(file: string, folder: string, model: Answer): Promise<RunningSide> {
  const modelFile = join(folder, "model.json");
  writeFileSync(modelFile, JSON.stringify(model));
  return startServer([RUNTIME, file, modelFile], folder);
}

/** In a server started by `startFile`: the answer to imitate. */
export async function givenModel(): Promise<Answer> {
  return Bun.file(process.argv[2] as string).json();
}

/** In a server started by `startFile`: serves on a free port, and says where. */
export function serve(handle: (request: Request) => Response | Promise<Response>): void {
  const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch: handle });
  console.log(`http://127.0.0.1:${port}`);
}
