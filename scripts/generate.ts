// `npm run generate`: writes the files that follow from the code. Tests hold each file equal to the code.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../src/system/version.ts";
import { brunoCollection } from "./bruno.ts";
import { clientContract } from "./client/contract.ts";
import { clientErrors } from "./client/errors-by-code.ts";
import { clientMain } from "./client/main.ts";
import type { OpenApi } from "./client/openapi.ts";
import { envExample } from "./env-example.ts";
import { errorsPage } from "./errors-page.ts";
import { KIT_TYPES, kitTypes } from "./kit-types.ts";
import { migrationsModule } from "./migrations.ts";
import { openApiFile } from "./openapi-file.ts";
import { POSTMAN_COLLECTION, postmanCollection } from "./postman.ts";
import { settingsPage } from "./settings-page.ts";

/** Each generated file, by its path from the repository's root, and the function that writes it. */
const FILES: readonly (readonly [path: string, content: () => string])[] = [
  ["client/package.json", clientManifest],
  ["deploy/kubernetes.yaml", kubernetesManifests],
  ["src/stores/migrations.ts", migrationsModule],
  [KIT_TYPES, kitTypes],
  ["openapi.json", openApiFile],
  ["client/contract.ts", () => clientContract(everyOperation())],
  ["client/main.ts", () => clientMain(clientContract(everyOperation()))],
  ["client/errors-by-code.ts", () => clientErrors(everyOperation())],
  ["docs/errors.md", errorsPage],
  ["docs/settings.md", settingsPage],
  [".env.example", envExample],
  [POSTMAN_COLLECTION, () => postmanCollection(JSON.parse(openApiFile()))],
];

/** The client knows also what only some services offer. */
function everyOperation(): OpenApi {
  return JSON.parse(openApiFile({ STABILITY: "experimental" }));
}

const ROOT = join(import.meta.dir, "..");

/** The client is released with the service, so it has the service's version. */
function clientManifest(): string {
  return readFileSync(join(ROOT, "client/package.json"), "utf8").replace(/(?<="version": ")[^"]+/, VERSION);
}

/** The manifests name the image of this version. */
function kubernetesManifests(): string {
  return readFileSync(join(ROOT, "deploy/kubernetes.yaml"), "utf8").replace(
    /(?<=image: animal-store:)\S+/,
    VERSION,
  );
}

for (const [path, content] of FILES) await Bun.write(join(ROOT, path), content());
rmSync(join(ROOT, "examples/bruno"), { recursive: true, force: true });
for (const [path, content] of brunoCollection(JSON.parse(openApiFile())))
  await Bun.write(join(ROOT, path), content);
