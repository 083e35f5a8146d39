import { join } from "node:path";
import { GO, type NativePeer, RUST } from "../peers/native.ts";
import { startServer } from "../server.ts";
import type { Side } from "../side.ts";
import { countAnimals } from "../sqlite-file.ts";
import { SQLITE_FILE, signedPages, sqliteSecret } from "./animal-store.ts";

/** A server that gives the same responses from the same file, to the byte. */
function native(peer: NativePeer, libraries: string): Side {
  return {
    name: `${peer.language} (${libraries})`,
    kind: "native",
    likeness: "bytes",
    checksKeys: true,
    unavailable: () => peer.missing(),
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

/** The yardstick: like ours it has one thread for HTTP, so the CPU times compare. */
export const rust = native(RUST, "axum, rusqlite");
export const go = native(GO, "net/http, go-sqlite3");
