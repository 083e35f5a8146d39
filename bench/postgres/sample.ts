/** What one side did in one run. */
export interface Sample {
  readonly perSecond: number;
  /** CPU time of all instances for each operation, in microseconds; 0 where there are none. */
  readonly serviceCpu: number;
  /** The same of PostgreSQL, all of its processes. */
  readonly postgresCpu: number;
  /** Cores that the load generator took. */
  readonly generatorCores: number;
  /** Answers that were refusals: 503, on a machine that is too busy. */
  readonly refusals: number;
}

/** What a load generator saw of its run. */
export interface Driven {
  readonly operations: number;
  readonly refusals: number;
  readonly seconds: number;
  readonly generatorCpuMicroseconds: number;
}

/** One of those that are measured in turns, with the same number of connections. */
export interface Side {
  readonly name: string;
  /** @param run how many there were before */
  drive(seconds: number, run: number): Promise<Driven>;
}

/** Sides that do the same work; the first is what the others are measured by. */
export interface Comparison {
  /** What the command line calls it. */
  readonly name: string;
  readonly title: string;
  readonly notes: readonly string[];
  readonly sides: readonly Side[];
  /** What a side is to reach, as a ratio of the first's rate. */
  readonly aims: Readonly<Record<string, number>>;
}
