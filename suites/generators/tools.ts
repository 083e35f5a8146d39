import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command, Workplace } from "./generator.ts";

/** Outlives a run, so that the next one downloads nothing. */
const CACHE = join(import.meta.dir, "../../node_modules/.cache/generators");

const VERSION = "7.17.0";
const JAR = join(CACHE, `openapi-generator-cli-${VERSION}.jar`);

/** openapi-generator for a language, fetched from Maven Central when it is first used. */
export function openApiGenerator(
  language: string,
  properties: Readonly<Record<string, string>> = {},
): (at: Workplace) => readonly Command[] {
  return ({ document, folder }) => [
    ["java", "-jar", JAR, "generate", "-i", document, "-g", language, "-o", join(folder, "client")].concat(
      Object.entries(properties).flatMap(([name, value]) => ["--additional-properties", `${name}=${value}`]),
    ),
  ];
}

/** What openapi-generator 7.17.0 says of the smallest OpenAPI 3.1 document, too. */
export const OPENAPI_GENERATOR_SAYS_ALWAYS = /OpenAPI 3\.1 support is still in beta|schema name: null/;

/** The Python of an environment with the libraries that generated clients use, and the tools that check them. */
export const PYTHON = join(CACHE, "python/bin/python");

const PYTHON_PACKAGES = [
  "openapi-python-client==0.29.1",
  "mypy==1.18.2",
  "pydantic==2.12.4",
  "urllib3==2.5.0",
  "python-dateutil==2.9.0.post0",
  "types-python-dateutil==2.9.0.20251115",
];

/** Commands that fetch what is not there yet. */
export function missingTools(): Command[] {
  mkdirSync(CACHE, { recursive: true });
  const commands: Command[] = [];
  if (!existsSync(JAR)) {
    const artifact = `org.openapitools:openapi-generator-cli:${VERSION}`;
    const copy = ["dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${CACHE}`];
    commands.push(["mvn", "--batch-mode", "--quiet", ...copy]);
  }
  if (!existsSync(PYTHON)) {
    commands.push(["python3", "-m", "venv", join(CACHE, "python")]);
    commands.push([PYTHON, "-m", "pip", "install", "--quiet", ...PYTHON_PACKAGES]);
  }
  return commands;
}
