import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PEERS, runtimeCommand } from "../peers/install.ts";
import { startServerOnPort } from "../server.ts";
import type { Side, Start } from "../side.ts";
import { animal } from "../stock.ts";
import { keyless } from "./keyless.ts";

const PROGRAM = join(PEERS, "node_modules/json-server/lib/cli/bin.js");

/** An API from a JSON file, which json-server keeps in memory and rewrites whole after each create. */
export const jsonServer: Side = {
  name: "json-server",
  kind: "peer",
  likeness: "data",
  checksKeys: false,
  unavailable: () => (existsSync(PROGRAM) ? undefined : "it is not installed"),
  async start({ folder, animals }: Start) {
    const pets = Array.from({ length: animals }, (_, index) => animal(index + 1));
    writeFileSync(join(folder, "db.json"), JSON.stringify({ pets }));
    const routes = { "/v1/pets": "/pets?_limit=20", "/v1/pets/:id": "/pets/:id" };
    writeFileSync(join(folder, "routes.json"), JSON.stringify(routes));
    const command = (port: number) =>
      [...runtimeCommand("node"), PROGRAM].concat([
        "--quiet",
        "--host",
        "127.0.0.1",
        "--port",
        `${port}`,
        "--routes",
        "routes.json",
        "db.json",
      ]);
    return keyless(await startServerOnPort(command, { folder, env: { NODE_ENV: "production" } }));
  },
};
