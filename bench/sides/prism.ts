import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PEERS, runtimeCommand } from "../peers/install.ts";
import { startServerOnPort } from "../server.ts";
import type { Side, Start } from "../side.ts";
import { keyless } from "./keyless.ts";

const PROGRAM = join(PEERS, "node_modules/@stoplight/prism-cli/dist/index.js");
const DOCUMENT = join(import.meta.dir, "../../openapi.json");

/** A mock of our OpenAPI document: Prism checks requests against it and returns its examples. */
export const prism: Side = {
  name: "Prism, mocking openapi.json",
  kind: "peer",
  likeness: "shape",
  // It requires a key, but takes any.
  checksKeys: false,
  unavailable: () => (existsSync(PROGRAM) ? undefined : "it is not installed"),
  async start({ folder }: Start) {
    const document = JSON.parse(readFileSync(DOCUMENT, "utf8"));
    // It ignores the base path of `servers`.
    const paths = Object.entries(document.paths).map(([path, item]) => [`/v1${path}`, item]);
    writeFileSync(
      join(folder, "openapi.json"),
      JSON.stringify({ ...document, paths: Object.fromEntries(paths) }),
    );
    const command = (port: number) =>
      [...runtimeCommand("node"), PROGRAM, "mock", "--verboseLevel", "silent"].concat([
        "--host",
        "127.0.0.1",
        "--port",
        `${port}`,
        "openapi.json",
      ]);
    return keyless(await startServerOnPort(command, { folder, env: { NODE_ENV: "production" } }));
  },
};
