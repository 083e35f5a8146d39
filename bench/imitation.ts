import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "./server.ts";
import type { Answer, RunningSide, Start } from "./side.ts";

/** A key that no store knows, for sides that look at none. */
const NO_KEY = { authorization: `Bearer as_live_${"0".repeat(36)}` };

/** Where a server does not keep the contract's cursors: what imitates ours does not look. */
const PAGE = "/v1/pets?limit=20&cursor=AAAAAAAAAAGQNvIcTNDPTSy9Rw4BsAA6&status=";

/** A side that returns what it is given, whatever is asked. */
export function imitation(server: Server): RunningSide {
  return { ...server, headers: NO_KEY, pagePath: (_, status = "available") => PAGE + status };
}

const RUNTIME = join(import.meta.dir, "../bin/runtime");

/** Starts a side's own file as its server; the file finds the models with `givenModels`. */
export async function startImitation(file: string, { folder, models }: Start): Promise<RunningSide> {
  const modelsFile = join(folder, "models.json");
  writeFileSync(modelsFile, JSON.stringify(models));
  return imitation(
    await startServer([RUNTIME, file, modelsFile], { folder, env: { NODE_ENV: "production" } }),
  );
}

/** In a server started by `startImitation`: the answers to imitate. */
export async function givenModels(): Promise<readonly [Answer, ...Answer[]]> {
  return Bun.file(process.argv[2] as string).json();
}

/** In a server started by `startImitation`: serves on a free port, and says where. */
export function serve(handle: (request: Request) => Response | Promise<Response>): void {
  const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch: handle });
  console.log(`http://127.0.0.1:${port}`);
}
