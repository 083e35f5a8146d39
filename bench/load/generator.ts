import { readFileSync } from "node:fs";
import { readCallsFile } from "../call.ts";
import { ClosedModel } from "./closed-model.ts";
import type { Address } from "./connection.ts";
import { openModel } from "./open-model.ts";

/** The work of a generator process; `file` holds calls (bench/call.ts). */
export type Task =
  | {
      readonly model: "open";
      readonly address: Address;
      readonly seconds: number;
      readonly streams: readonly {
        readonly name: string;
        readonly file: string;
        readonly rate: number;
        readonly connections: number;
      }[];
    }
  | {
      readonly model: "closed";
      readonly address: Address;
      readonly seconds: number;
      readonly file: string;
      readonly connections: number;
    };

/** How long an open model runs before its figures count. */
const WARM_UP_SECONDS = 1;

async function perform(task: Task): Promise<unknown> {
  const { address, seconds } = task;
  if (task.model === "closed") {
    using model = new ClosedModel(address, readCallsFile(readFileSync(task.file)), task.connections);
    await model.connect();
    return await model.run(seconds);
  }
  const streams = task.streams.map(({ file, ...stream }) => ({
    ...stream,
    requests: readCallsFile(readFileSync(file)),
  }));
  // Until the runtime has compiled this program, the program itself delays responses that have arrived.
  await openModel(address, streams, WARM_UP_SECONDS);
  return openModel(address, streams, seconds);
}

// The generator has a process of its own, so that the bench cannot delay it.
if (import.meta.main) {
  console.log(JSON.stringify(await perform(JSON.parse(process.argv[2] as string))));
  process.exit(0);
}
