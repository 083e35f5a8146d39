// Asks a writer thread to write for another process while no file descriptor is left, and again when some are. It prints
// how the socket of each process ended, and whether the thread still writes. Its argument is the file of a store.
import { closeSync, openSync } from "node:fs";
import { filesOpened } from "../../src/stores/sqlite/opened-files.ts";
import { openWithSharedMemory } from "../../src/stores/sqlite/revision/opened-database.ts";
import { WriterThread } from "../../src/stores/sqlite/writer/thread.ts";

const [, , file = ""] = process.argv;
const { identity } = openWithSharedMemory(file);
const thread = new WriterThread({ file, opened: filesOpened(identity, file) });
await thread.start();
await thread.ask({ kind: "try" });

/** A process that asks for a write, and prints the answer: nothing if the socket is closed without one. */
function startProcess() {
  const script = `printf '{"kind":"try"}\\n' >&3; head -1 <&3`;
  const child = Bun.spawn(["sh", "-c", script], { stdio: ["ignore", "pipe", "ignore", "socket-fd"] });
  const [, , , descriptor] = child.stdio;
  return { answer: new Response(child.stdout).text(), descriptor: descriptor as unknown as number };
}

const [unlucky, lucky] = [startProcess(), startProcess()];
const held: number[] = [];
try {
  for (;;) held.push(openSync("/dev/null", "r"));
} catch {
  // None is left.
}
thread.serve(unlucky.descriptor);
const first = await unlucky.answer;
for (const descriptor of held) closeSync(descriptor);
thread.serve(lucky.descriptor);
console.log(JSON.stringify([first, await lucky.answer, await thread.ask({ kind: "try" })]));
await thread.close();
process.exit(0);
