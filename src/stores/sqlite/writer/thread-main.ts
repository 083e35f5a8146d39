// The writer thread of an SQLite store. Requests come from the thread that started it, one at a time, and from the other
// processes that it writes for.
import { parentPort, workerData } from "node:worker_threads";
import type { WriterRequest, WriterTask } from "./messages.ts";
import type { WriterServer } from "./remote/writer-server.ts";
import { StoreWriter } from "./store-writer.ts";

const writer = new StoreWriter(workerData as WriterTask);
let shared: Promise<WriterServer> | undefined;

/** Loads what most writers never need. */
async function share(): Promise<WriterServer> {
  const { WriterServer } = await import("./remote/writer-server.ts");
  return new WriterServer(writer);
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
      const { descriptor } = message;
      shared ??= share();
      void shared.then((server) => server.serve(descriptor));
    } else {
      parentPort?.postMessage(writer.write(message));
    }
  },
);
