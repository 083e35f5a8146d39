import type { Call } from "../call.ts";
import { listCall } from "../calls.ts";
import { drive } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Section } from "../report/section.ts";
import { cpuOf, type RunningSide } from "../side.ts";
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

interface Sample {
  /** A second. */
  readonly lists: number;
  /** Microseconds for a list. */
  readonly cpu: number;
}

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
      const measured: Record<string, Sample> = {};
      for (const [load, calls] of Object.entries(LOADS)) {
        for (const [at, rate] of RATES.entries()) {
          await using changes = changeStatuses(running, rate);
          const before = cpuOf(running);
          const { requests, microseconds } = await drive(
            running.address,
            calls(running, run * RATES.length + at),
            seconds,
            CONNECTIONS,
          );
          const sample = {
            lists: requests / (microseconds / 1e6),
            cpu: (cpuOf(running) - before) / requests,
          };
          measured[`${load} ${rate}`] = sample;
          log(
            `status-changes: ${side.name}, ${load}, ${rate} changes a second (${changes.count()} in all): ` +
              `${Math.round(sample.lists)}/s, ${sample.cpu.toFixed(1)} µs`,
          );
        }
      }
      return measured;
    });
    const rows = [...samples].flatMap(([{ name, kind }, runs]) =>
      Object.keys(LOADS).map((load) => {
        const of = (figure: keyof Sample, rate: number) =>
          runs.map((each) => each[`${load} ${rate}`]?.[figure] as number);
        const ratios = (figure: keyof Sample) =>
          RATES.slice(1).map((rate) => [figure + rate, quotients(of(figure, rate), of(figure, 0))] as const);
        return {
          name: `${name}: ${load}`,
          kind,
          figures: {
            lists: spread(of("lists", 0)),
            ...Object.fromEntries(ratios("lists")),
            cpu: spread(of("cpu", 0)),
            ...Object.fromEntries(ratios("cpu")),
          },
        };
      }),
    );
    const ratioColumns = (figure: keyof Sample, label: string) =>
      RATES.slice(1).map((rate) => ({ key: figure + rate, label: `${label} ${rate}/s`, digits: 2 }));
    return {
      name: "status-changes",
      title: `Lists from ${CONNECTIONS} connections while orders change statuses, as a ratio to none`,
      notes: [
        "Orders are placed and cancelled in turn, one at a time, over a connection of their own. CPU is that of the " +
          "service and its database together, with what the orders take.",
      ],
      columns: [
        { key: "lists", label: "lists/s without changes", digits: 0 },
        ...ratioColumns("lists", "at"),
        { key: "cpu", label: "CPU µs/list", digits: 1 },
        ...ratioColumns("cpu", "CPU at"),
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
