import { join } from "node:path";
import { GO, missingNativePeer, type NativePeer, RUST } from "../peers/native.ts";
import { startServer } from "../server.ts";
import type { Side } from "../side.ts";
import { countAnimals } from "../sqlite-file.ts";
import { SQLITE_FILE, signedPages, sqliteSecret } from "./animal-store.ts";

/** The same answers from the same file as ours, to the byte. */
function native(peer: NativePeer, libraries: string): Side {
  return {
    name: `${peer.language} (${libraries})`,
    kind: "native",
    likeness: "bytes",
    checksKeys: true,
    unavailable: () => missingNativePeer(peer),
    async start({ folder, animals, shared }) {
      const key = await shared.sqlite.copyTo(folder, animals);
      const file = join(folder, SQLITE_FILE);
      return {
        ...(await startServer([peer.executable, file], { folder })),
        headers: { authorization: `Bearer ${key}` },
        pagePath: signedPages(sqliteSecret(file)),
        stored: async () => countAnimals(file),
      };
    },
  };
}

/** What ours is measured by: one thread for HTTP, as ours has, so that their CPU times compare. */
export const rust = native(RUST, "axum, rusqlite");
export const go = native(GO, "net/http, go-sqlite3");
