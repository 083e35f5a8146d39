// `npm run generate`: writes the files that follow from the code. A test holds each equal to it.
import { join } from "node:path";
import { envExample } from "./env-example.ts";
import { errorsPage } from "./errors-page.ts";
import { openApiFile } from "./openapi-file.ts";

/** Each file, from the repository's root, and what makes its content. */
const FILES: readonly (readonly [path: string, content: () => string])[] = [
  ["openapi.json", openApiFile],
  ["docs/errors.md", errorsPage],
  [".env.example", envExample],
];

for (const [path, content] of FILES) await Bun.write(join(import.meta.dir, "..", path), content());
