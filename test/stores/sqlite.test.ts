import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { storeConformance } from "./store-conformance.ts";

storeConformance("SQLite", async () => {
  const folder = temporaryFolder();
  return {
    url: `sqlite:${join(folder.path, "store.db")}`,
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
    },
  };
});
