// Builds `animal-store/client`: one ES module and its declarations, in client/dist or in the folder that is named.
import { join, resolve } from "node:path";
import { buildClient } from "./client/build.ts";

const [folder = join(import.meta.dir, "../client/dist")] = Bun.argv.slice(2);
await buildClient(resolve(folder));
