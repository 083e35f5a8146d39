// Measures what 200 clients that send their requests byte by byte cost other clients: the throughput of those
// with and without the slow clients, in turns, on the real process. On Linux it also measures the service's CPU
// time per response, which is more reliable on a machine that does other work.
//
//   bin/runtime scripts/slow-clients.ts [ROUNDS]
import { readFileSync } from "node:fs";
import { temporaryFolder } from "../test/support/folder.ts";
import { type ServiceProcess, serve } from "../test/support/program.ts";
import { Conversation } from "../verify/wire/conversation.ts";

const SLOW_CLIENTS = 200;
/** Real slow clients send a byte every few seconds, just before the timeout. */
const DRIP_EVERY_MS = 1000;
const OTHER_CLIENTS = 32;
const SECONDS = 2;
const WARM_UP_SECONDS = 3;

const onLinux = process.platform === "linux";

const [first = "15", address = "", key = ""] = process.argv.slice(2);
if (first === "drip") await drip();
else await measure(Number(first));

/** Runs 200 slow clients and reports when they are connected: a separate process, so that its work is not the load's. */
async function drip(): Promise<void> {
  const beginnings = [
    `GET /v1/pets HTTP/1.1\r\nHost: shop\r\nX-Text: `,
    `POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n",
  ];
  const clients = await Promise.all(
    Array.from({ length: SLOW_CLIENTS }, async (_, at) => {
      let conversation = await begin(at);
      return async () => {
        if (conversation.over) conversation = await begin(at);
        else conversation.send("a");
      };
    }),
  );
  async function begin(at: number): Promise<Conversation> {
    const conversation = await Conversation.open(address);
    conversation.send(beginnings[at % beginnings.length] as string);
    return conversation;
  }
  console.log("dripping");
  // Spread evenly, as real clients would arrive.
  for (let turn = 0; ; turn++) {
    await clients[turn % SLOW_CLIENTS]?.();
    await Bun.sleep(DRIP_EVERY_MS / SLOW_CLIENTS);
  }
}

interface Load {
  readonly perSecond: number;
  /** The service's. */
  readonly cpuMicroseconds: number;
}

async function measure(rounds: number): Promise<void> {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path });
  for (let count = 0; count < 100; count++) {
    await fetch(`${service.address}/v1/pets`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `animal ${count}`, categoryId: count }),
    });
  }
  await drive(service, WARM_UP_SECONDS);
  const throughput: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // The order alternates, so that a machine that speeds up or slows down favours neither.
    const early = round % 2 === 0 ? await drive(service, SECONDS) : undefined;
    const beside = await besideSlowOnes(service, () => drive(service, SECONDS));
    const without = early ?? (await drive(service, SECONDS));
    throughput.push(beside.perSecond / without.perSecond);
    cpu.push(without.cpuMicroseconds / beside.cpuMicroseconds);
    console.log(
      `round ${round + 1}: without ${tell(without)}, with ${SLOW_CLIENTS} slow clients ${tell(beside)}`,
    );
  }
  console.log(`throughput with them / without: median ${median(throughput)} (aim 0.90)`);
  if (onLinux) console.log(`answers per CPU second with them / without: median ${median(cpu)}`);
}

function tell({ perSecond, cpuMicroseconds }: Load): string {
  const cpu = onLinux ? ` at ${cpuMicroseconds.toFixed(1)} µs of CPU each` : "";
  return `${Math.round(perSecond)} answers/s${cpu}`;
}

function median(ratios: number[]): string {
  return (ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] as number).toFixed(3);
}

async function besideSlowOnes({ address, key }: ServiceProcess, load: () => Promise<Load>): Promise<Load> {
  const child = Bun.spawn([process.execPath, import.meta.path, "drip", address, key], { stdout: "pipe" });
  try {
    // It says that it drips, and nothing else.
    await child.stdout.getReader().read();
    return await load();
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** Requests lists over several connections, each request after the previous response. */
async function drive({ address, key, pid }: ServiceProcess, seconds: number): Promise<Load> {
  const { hostname, port } = new URL(address);
  const request = Buffer.from(`GET /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  let answered = 0;
  let refused = "";
  const clients = await Promise.all(
    Array.from({ length: OTHER_CLIENTS }, async () => {
      // All responses have the same length, so the number of bytes gives the number of responses.
      let length = 0;
      let pending = 0;
      return Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: (socket) => void socket.write(request),
          data(socket, bytes) {
            if (length === 0) {
              const head = bytes.toString("latin1");
              if (!head.startsWith("HTTP/1.1 200 ")) refused ||= head;
              length = head.indexOf("\r\n\r\n") + 4 + Number(/content-length: ([0-9]+)/i.exec(head)?.[1]);
            }
            pending += bytes.length;
            if (pending < length) return;
            pending -= length;
            answered++;
            socket.write(request);
          },
        },
      });
    }),
  );
  const begun = performance.now();
  const cpuBegun = cpuSeconds(pid);
  answered = 0;
  await Bun.sleep(seconds * 1000);
  const perSecond = answered / ((performance.now() - begun) / 1000);
  const cpuMicroseconds = ((cpuSeconds(pid) - cpuBegun) / answered) * 1e6;
  for (const client of clients) client.terminate();
  if (refused !== "" || answered === 0) throw new Error(`the load was not served: ${refused}`);
  return { perSecond, cpuMicroseconds };
}

/** The CPU time of a process so far: proc(5), fields 14 and 15, in hundredths of a second. */
function cpuSeconds(pid: number): number {
  if (!onLinux) return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
