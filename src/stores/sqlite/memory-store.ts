import { Database } from "bun:sqlite";
import { closeOnFailure } from "../close-on-failure.ts";
import type { OpenedStore } from "../opened-store.ts";
import { APPLICATION_IDS } from "./application-id.ts";
import { migrate } from "./migrate.ts";
import type { StoreFiles } from "./opened-files.ts";
import { commitsInMemory } from "./revision/shared-memory-revision.ts";
import { type LastIds, raiseLastId } from "./sequence.ts";
import { storeOn } from "./store.ts";
import type { WriterChannel } from "./writer/channel.ts";
import type { WriterReply, WriterRequest } from "./writer/messages.ts";
import { StoreWriter, writingOn } from "./writer/store-writer.ts";

/** A store whose whole state can be taken. */
export interface MemoryStore extends OpenedStore {
  /** The database as it is now, for `openMemoryStore`. */
  state(): Uint8Array;
  /** Makes the tables give ids above these. */
  beginAfter(lastIds: Pick<LastIds, "animal" | "store_order">): void;
}

/**
 * Opens a sandbox's store in memory. It runs the same statements as a store in a file, but on the calling thread, since
 * there is no disk to wait for.
 *
 * @param state of another such store; left out: an empty one
 * @param clock milliseconds since 1970
 */
export function openMemoryStore(state: Uint8Array | undefined, clock: () => number): MemoryStore {
  const options = { safeIntegers: true, strict: true };
  const database = state ? Database.deserialize(state, options) : new Database(":memory:", options);
  return closeOnFailure(database, () => {
    database.run("PRAGMA trusted_schema = OFF");
    migrate(database, "the store in memory", undefined, "sandbox");
    const { header, noteCommit } = commitsInMemory();
    const files: StoreFiles = { ...NO_FILES, assertCommitted: noteCommit };
    const writer = new MemoryWriter(new StoreWriter(files, () => writingOn(database)), noteCommit);
    return {
      ...storeOn({ database, files, header, writer }, clock),
      state: () => database.serialize(),
      beginAfter({ animal, store_order }) {
        raiseLastId(database, "animal", animal);
        raiseLastId(database, "store_order", store_order);
      },
    };
  });
}

/** Fields of SQLite's header (sqlite.org/fileformat.html, section 1.3), in bytes from the beginning. */
const FORMAT_VERSIONS = { from: 18, to: 20 };
const APPLICATION_ID = 68;
/** The version of a file without a write-ahead log, which a database in memory cannot have. */
const WITHOUT_LOG = 1;

/** The state of the store in a file, as a sandbox's store in memory can open it. */
export function stateOf(file: string): Uint8Array {
  using database = new Database(file, { readonly: true });
  const state = database.serialize();
  state.fill(WITHOUT_LOG, FORMAT_VERSIONS.from, FORMAT_VERSIONS.to);
  state.writeUInt32BE(APPLICATION_IDS.sandbox, APPLICATION_ID);
  return state;
}

/** Nobody can replace the files of a store that has none. */
const NO_FILES: StoreFiles = {
  hasShrunk: false,
  look: () => undefined,
  lookAtLocks: () => undefined,
  lookEvery: () => undefined,
  acceptSize() {},
  assertCommitted() {},
  assertNotReplaced() {},
  assertLocksShared() {},
};

/** Writes on the calling thread, and on the connection that reads. */
class MemoryWriter implements WriterChannel {
  readonly sharers = 1;
  readonly #writer: StoreWriter;
  readonly #noteCommit: () => void;

  constructor(writer: StoreWriter, noteCommit: () => void) {
    this.#writer = writer;
    this.#noteCommit = noteCommit;
  }

  async ask(request: WriterRequest): Promise<WriterReply> {
    const reply = this.#writer.write(request);
    this.#noteCommit();
    return reply;
  }

  async close(): Promise<void> {
    this.#writer.close();
  }
}
