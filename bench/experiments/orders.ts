import type { Call } from "../call.ts";
import { createCall } from "../calls.ts";
import { Loads } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Section } from "../report/section.ts";
import { cpuOf, type RunningSide } from "../side.ts";
import { OURS, TWO_WORKERS } from "../sides/animal-store.ts";
import { OURS_ON_POSTGRES } from "../sides/animal-store-postgres.ts";
import { BEFORE } from "../sides/versions.ts";
import { quotients, spread } from "../spread.ts";
import { STATUSES } from "../stock.ts";
import type { Experiment } from "./experiment.ts";
import { inTurns } from "./turns.ts";

const ANIMALS = 1_000_000;
const AVAILABLE = Math.floor(ANIMALS / STATUSES.length);

interface Sample {
  readonly creates: number;
  readonly orders: number;
  readonly createCpu: number;
  readonly orderCpu: number;
}

/** Orders a second compared with creates a second, each in its turn: both are on the disk before they are answered. */
export const orders: Experiment = {
  name: "orders",
  about: "orders a second beside creates a second",
  inSlices: true,
  async run(context): Promise<Section> {
    const { seconds, rounds, versions, log } = context;
    const sides = versions ?? [OURS, TWO_WORKERS, OURS_ON_POSTGRES];
    const eachRun = seconds < 1 ? AVAILABLE : Math.floor(AVAILABLE / (rounds + 1));
    using creates = new Loads(seconds);
    using orders = new Loads(seconds);
    const samples = await inTurns(
      sides,
      ANIMALS,
      context,
      async ({ side, running, run }): Promise<Sample> => {
        const measure = async (loads: Loads, calls: () => readonly Call[]) => {
          const before = cpuOf(running);
          const { requests, microseconds } = await loads.drive(running.address, calls, CONNECTIONS);
          return {
            rate: requests / (microseconds / 1e6),
            cpu: (cpuOf(running) - before) / requests,
          };
        };
        const created = await measure(creates, () => [createCall(running)]);
        const ordered = await measure(orders, () => placingCalls(running, run * eachRun, eachRun));
        log(
          `orders: ${side.name} ${Math.round(created.rate)} creates/s of ${created.cpu.toFixed(1)} µs, ` +
            `${Math.round(ordered.rate)} orders/s of ${ordered.cpu.toFixed(1)} µs`,
        );
        return {
          creates: created.rate,
          orders: ordered.rate,
          createCpu: created.cpu,
          orderCpu: ordered.cpu,
        };
      },
    );
    const of = (runs: readonly Sample[], key: keyof Sample) => runs.map((each) => each[key]);
    const before = [...samples].find(([{ name }]) => name === BEFORE)?.[1];
    const toBefore = (runs: readonly Sample[], key: keyof Sample) =>
      before && before !== runs ? { [`${key}Ratio`]: quotients(of(runs, key), of(before, key)) } : {};
    return {
      name: "orders",
      title: `POST /v1/orders compared with POST /v1/pets, from ${CONNECTIONS} connections, each order for another animal`,
      notes: ["CPU is that of the service and its database together."],
      columns: [
        { key: "creates", label: "creates/s", digits: 0 },
        { key: "orders", label: "orders/s", digits: 0 },
        { key: "ratio", label: "orders / creates", digits: 2 },
        { key: "createCpu", label: "CPU µs/create", digits: 1 },
        ...(before ? [{ key: "createCpuRatio", label: `/ ${BEFORE}`, digits: 2 }] : []),
        { key: "orderCpu", label: "CPU µs/order", digits: 1 },
        ...(before ? [{ key: "orderCpuRatio", label: `/ ${BEFORE}`, digits: 2 }] : []),
      ],
      rows: [...samples].map(([{ name, kind }, runs]) => ({
        name,
        kind,
        figures: {
          creates: spread(of(runs, "creates")),
          orders: spread(of(runs, "orders")),
          ratio: quotients(of(runs, "orders"), of(runs, "creates")),
          createCpu: spread(of(runs, "createCpu")),
          ...toBefore(runs, "createCpu"),
          orderCpu: spread(of(runs, "orderCpu")),
          ...toBefore(runs, "orderCpu"),
        },
      })),
      findings: [],
    };
  },
};

/** Orders for animals that are available, each for another one. */
function placingCalls({ headers }: RunningSide, from: number, count: number): Call[] {
  return Array.from({ length: count }, (_, at) => ({
    method: "POST",
    path: "/v1/orders",
    headers: { ...headers, "content-type": "application/json" },
    body: `{"petId":${availableAnimal(from + at)}}`,
  }));
}

/** The id of one of the animals of a store that are available when it is made. */
export function availableAnimal(number: number): number {
  return (number + 1) * STATUSES.length;
}
