// The writer thread of an SQLite store. Requests come from the thread that started it, one at a time, and from the other
// processes that it writes for.
import { closeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { assertFreeDescriptors } from "../../../system/free-descriptors.ts";
import type { WriterRequest, WriterTask } from "./messages.ts";
import type { WriterServer } from "./remote/writer-server.ts";
import { StoreWriter } from "./store-writer.ts";

const writer = StoreWriter.ofFile(workerData as WriterTask);
let server: WriterServer | undefined;

/** How many source files may be open at once while code is loaded. The runtime would remember a failure for ever. */
const SOURCES_MAX = 4;

/**
 * Writes for another process. This loads what most writers never need.
 *
 * @param descriptor a socket to the other process; if this fails, it is closed, and the other process ends and is replaced
 */
async function serve(descriptor: number): Promise<void> {
  try {
    if (server === undefined) assertFreeDescriptors(SOURCES_MAX);
    const { WriterServer } = await import("./remote/writer-server.ts");
    server ??= new WriterServer(writer);
    server.serve(descriptor);
  } catch {
    closeSync(descriptor);
  }
}

parentPort?.on(
  "message",
  (
    message:
      | WriterRequest
      | { readonly kind: "serve"; readonly descriptor: number }
      | { readonly kind: "close" },
  ) => {
    if (message.kind === "close") {
      writer.close();
      parentPort?.postMessage({ closed: true });
    } else if (message.kind === "serve") {
      void serve(message.descriptor);
    } else {
      parentPort?.postMessage(writer.write(message));
    }
  },
);
