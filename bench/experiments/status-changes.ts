import type { Call } from "../call.ts";
import { listCall } from "../calls.ts";
import { drive } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Section } from "../report/section.ts";
import type { RunningSide } from "../side.ts";
import { OURS } from "../sides/animal-store.ts";
import { OURS_ON_POSTGRES } from "../sides/animal-store-postgres.ts";
import { quotients, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import { availableAnimal } from "./orders.ts";
import { distinctPages } from "./scenarios.ts";
import { inTurns } from "./turns.ts";

const ANIMALS = 1_000_000;
/** Changes a second; 0 is what the others are compared with. */
const RATES = [0, 1, 10, 100] as const;

/** The calls of each load. @param run another for each measurement: a page that was asked for before may be cached */
const LOADS: Readonly<Record<string, (side: RunningSide, run: number) => readonly Call[]>> = {
  "first page": (side) => [listCall(side)],
  "other pages": (side, run) => distinctPages(side, run),
};

/** What orders, each of which changes the status of an animal, cost the lists: a change makes every cached page stale. */
export const statusChanges: Experiment = {
  name: "status-changes",
  about: "what 1, 10 and 100 changes of status a second cost lists under full load",
  async run(context): Promise<Section> {
    const { seconds, versions, log } = context;
    const sides = versions ?? [OURS, OURS_ON_POSTGRES];
    const samples = await inTurns(sides, ANIMALS, context, async ({ side, running, run }) => {
      const rates: Record<string, number> = {};
      for (const [load, calls] of Object.entries(LOADS)) {
        for (const [at, rate] of RATES.entries()) {
          await using changes = changeStatuses(running, rate);
          const { requests, microseconds } = await drive(
            running.address,
            calls(running, run * RATES.length + at),
            seconds,
            CONNECTIONS,
          );
          rates[`${load} ${rate}`] = requests / (microseconds / 1e6);
          log(
            `status-changes: ${side.name}, ${load}, ${rate} changes a second (${changes.count()} in all): ` +
              `${Math.round(rates[`${load} ${rate}`] ?? 0)}/s`,
          );
        }
      }
      return rates;
    });
    const rows = [...samples].flatMap(([{ name, kind }, runs]) =>
      Object.keys(LOADS).map((load) => {
        const at = (rate: number) => runs.map((each) => each[`${load} ${rate}`] as number);
        const ratios = RATES.slice(1).map((rate) => [`at${rate}`, quotients(at(rate), at(0))] as const);
        return {
          name: `${name}: ${load}`,
          kind,
          figures: { without: spread(at(0)), ...Object.fromEntries(ratios) },
        };
      }),
    );
    return {
      name: "status-changes",
      title: `Lists a second from ${CONNECTIONS} connections while orders change statuses, as a ratio to none`,
      notes: ["Orders are placed and cancelled in turn, one at a time, over a connection of their own."],
      columns: [
        { key: "without", label: "lists/s without changes", digits: 0 },
        ...RATES.slice(1).map((rate) => ({ key: `at${rate}`, label: `at ${rate}/s`, digits: 2 })),
      ],
      rows,
      findings: [],
    };
  },
};

/** Changes the status of an animal so many times a second until it is disposed of, by orders placed and cancelled. */
function changeStatuses({ address, headers }: RunningSide, rate: number) {
  let going = rate > 0;
  let count = 0;
  const send = async (method: string, path: string, body: string): Promise<{ id: number }> => {
    const response = await fetch(`${address}/v1${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    count++;
    return (await response.json()) as { id: number };
  };
  const changing = (async () => {
    const began = performance.now();
    const next = async () => {
      while (going && performance.now() < began + (count * 1000) / rate) await Bun.sleep(1);
      return going;
    };
    for (let animal = 0; await next(); animal++) {
      const { id } = await send("POST", "/orders", `{"petId":${availableAnimal(animal % 100)}}`);
      await next();
      await send("PATCH", `/orders/${id}`, '{"status":"cancelled"}');
    }
  })();
  changing.catch(() => {});
  return {
    count: () => count,
    async [Symbol.asyncDispose]() {
      going = false;
      await changing;
    },
  };
}
