import { existsSync } from "node:fs";
import { join } from "node:path";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";

/** Outlives a run, so that the next one downloads nothing. */
const CACHE = join(import.meta.dir, "../../node_modules/.cache/clients");

/** Deno's own package on npm chooses one of these. */
const DENO = `@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;

/** The path of Deno, which npm brings when it is first needed. */
export function deno(): Promise<string> {
  return installed(`${DENO}@2.9.6`, `node_modules/${DENO}/deno`);
}

/** The versions of Node that the client and the examples are for. */
export const NODE_VERSIONS = { oldest: "20.0.0", typeScript: "22.18.0", newest: "24.9.0" } as const;

/** The path of a version of Node, which npm brings when it is first needed. */
export function node(version: string): Promise<string> {
  const platform = `node-${process.platform}-${process.arch}`;
  return installed(`${platform}@${version}`, `node_modules/${platform}/bin/node`);
}

/** The path of Vite, which npm brings when it is first needed. */
export function vite(): Promise<string> {
  return installed("vite@7.3.8", "node_modules/.bin/vite");
}

/** The path of Vitest, which npm brings when it is first needed. */
export function vitest(): Promise<string> {
  return installed("vitest@3.2.4", "node_modules/.bin/vitest");
}

/** The path of Jest, which npm brings when it is first needed. */
export function jest(): Promise<string> {
  return installed("jest@30.2.0", "node_modules/.bin/jest");
}

/** The path of a version of TypeScript's compiler, which npm brings when it is first needed. */
export function typescript(version: "5.0.4" | "5.9.3" | "7.0.2"): Promise<string> {
  return installed(`typescript@${version}`, "node_modules/.bin/tsc");
}

/** The path of Bruno's runner, which npm brings when it is first needed: 275 MB. */
export function bru(): Promise<string> {
  return installed("@usebruno/cli@4.1.0", "node_modules/.bin/bru");
}

/** The path of Postman's runner, which npm brings when it is first needed: 63 MB. */
export function newman(): Promise<string> {
  return installed("newman@6.2.1", "node_modules/.bin/newman");
}

/** The path of Prism, which npm brings when it is first needed: 90 MB. */
export function prism(): Promise<string> {
  return installed("@stoplight/prism-cli@5.14.2", "node_modules/.bin/prism");
}

/** The folder of packages with MSW, which npm brings when it is first needed. */
export function msw(): Promise<string> {
  return installed("msw@2.11.3", "node_modules");
}

/** The folder of a client of the Model Context Protocol, the official SDK's first or second line, which npm brings. */
export function mcpSdk(
  pinned: "@modelcontextprotocol/sdk@1.32.2" | "@modelcontextprotocol/client@2.4.0",
): Promise<string> {
  return installed(pinned, `node_modules/${pinned.slice(0, pinned.lastIndexOf("@"))}/dist`);
}

/** The path of the inspector of the Model Context Protocol, which npm brings when it is first needed: 110 MB. */
export function mcpInspector(): Promise<string> {
  const launcher = "clients/launcher/build/index.js";
  return installed(
    "@modelcontextprotocol/inspector@2.12.0",
    `node_modules/@modelcontextprotocol/inspector/${launcher}`,
  );
}

/** The path of a generic bridge from OpenAPI documents to the Model Context Protocol, which npm brings. */
export function mcpOpenApi(): Promise<string> {
  return installed("mcp-openapi@0.3.0", "node_modules/mcp-openapi/dist/bin/mcp-openapi.js");
}

/** The folder of packages with Testcontainers, which npm brings when it is first needed: 48 MB. */
export function testcontainers(): Promise<string> {
  return installed("testcontainers@11.7.2", "node_modules");
}

/** The path of json-server, which npm brings when it is first needed. */
export function jsonServer(): Promise<string> {
  return installed("json-server@0.17.4", "node_modules/json-server/lib/cli/bin.js");
}

/** The path of WireMock, which Maven brings when it is first needed: 19 MB. */
export function wireMock(): Promise<string> {
  return jarOf("org.wiremock", "wiremock-standalone", "3.13.1");
}

/** The path of a library of Java without dependencies, which Maven brings when it is first needed. */
export async function jarOf(group: string, name: string, version: string): Promise<string> {
  const jar = join(CACHE, `${name}-${version}.jar`);
  if (!existsSync(jar)) {
    const copy = ["dependency:copy", `-Dartifact=${group}:${name}:${version}`];
    const maven = [requiredProgram("mvn", "maven"), "--batch-mode", "--quiet", ...copy];
    await runCommand([...maven, `-DoutputDirectory=${CACHE}`], { cwd: import.meta.dir });
  }
  return jar;
}

/** The path of a checker of npm packages, which npm brings when it is first needed. */
export function packageChecker(pinned: "publint@0.3.25" | "@arethetypeswrong/cli@0.18.5"): Promise<string> {
  return installed(pinned, `node_modules/.bin/${pinned.startsWith("publint") ? "publint" : "attw"}`);
}

/** The path of esbuild, the bundler behind Vite, which npm brings when it is first needed. */
export function esbuild(): Promise<string> {
  const platform = `@esbuild/${process.platform}-${process.arch}`;
  return installed(`${platform}@0.25.12`, `node_modules/${platform}/bin/esbuild`);
}

/** Debian's Go is too old for what other suites do with a `go` on the path, so it is kept off it. */
export function go(): string {
  return Bun.which("go") ?? requiredProgram("/usr/lib/go-1.19/bin/go", "golang-1.19-go");
}

/** The Python of an environment with packages, which pip brings when they are first needed. */
export async function pythonWith(...pinned: readonly string[]): Promise<string> {
  const folder = join(CACHE, pinned.join("+"));
  const python = join(folder, "bin/python");
  if (!existsSync(join(folder, "complete"))) {
    const options = { cwd: import.meta.dir };
    await runCommand([requiredProgram("python3"), "-m", "venv", "--clear", folder], options);
    await runCommand([python, "-m", "pip", "install", "--quiet", ...pinned], options);
    await Bun.write(join(folder, "complete"), "");
  }
  return python;
}

async function installed(pinned: string, path: string): Promise<string> {
  const folder = join(CACHE, pinned.replaceAll("/", "-"));
  const program = join(folder, path);
  if (!existsSync(program)) {
    const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await runCommand(["npm", "install", "--prefix", folder, ...quietly, pinned], { cwd: import.meta.dir });
  }
  return program;
}
