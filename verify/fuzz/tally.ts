import { readFileSync } from "node:fs";

export interface Progress {
  readonly requests: number;
  readonly animals: number;
  /** The least resident memory of the service since the report before, in MiB, if the system reports it. */
  readonly memory: number | undefined;
}

export interface TallyOptions {
  /** The process of the service. */
  readonly pid: number;
  /** The most requests of the run. */
  readonly requests: number;
  /** Called ten times in a run. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Between two collections memory rises by tens of MiB. A report reads it this often, so that one reading comes after a collection. */
const READINGS_PER_REPORT = 100;

/** Counts the requests of a run by kind and outcome. */
export class Tally {
  readonly counts = new Map<string, Map<string, number>>();
  /** After each tenth. */
  readonly progress: Progress[] = [];
  readonly #options: TallyOptions;
  #requests = 0;
  /** Since the last report, in MiB. */
  #leastMemory: number | undefined;

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  get isComplete(): boolean {
    return this.#requests >= this.#options.requests;
  }

  /** @param animals the number of animals that are known by now */
  count(kind: string, outcome: string, animals: number): void {
    const outcomes = this.counts.get(kind) ?? new Map<string, number>();
    this.counts.set(kind, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    const { requests, pid, onProgress } = this.#options;
    this.#requests++;
    const isReport = this.#requests >= Math.ceil((requests / 10) * (this.progress.length + 1));
    if (isReport || this.#requests % Math.ceil(requests / 10 / READINGS_PER_REPORT) === 0)
      this.#readMemory(pid);
    if (!isReport) return;
    const progress = { requests: this.#requests, animals, memory: this.#leastMemory };
    this.#leastMemory = undefined;
    this.progress.push(progress);
    onProgress?.(progress);
  }

  #readMemory(pid: number): void {
    const memory = residentMemory(pid);
    if (memory !== undefined) this.#leastMemory = Math.min(memory, this.#leastMemory ?? memory);
  }
}

function residentMemory(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, kilobytes] = /VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
