/** The figures of one side in one run. */
export interface Sample {
  readonly perSecond: number;
  /** CPU time of all instances for each operation, in microseconds; 0 where there are none. */
  readonly serviceCpu: number;
  /** The same for all processes of PostgreSQL. */
  readonly postgresCpu: number;
  /** Cores that the load generator used. */
  readonly generatorCores: number;
  /** Responses of 503, which a busy machine may cause. */
  readonly refusals: number;
}

/** The result of a load generator. */
export interface Driven {
  readonly operations: number;
  readonly refusals: number;
  readonly seconds: number;
  readonly generatorCpuMicroseconds: number;
}

/** A side of a comparison; all have the same number of connections. */
export interface Side {
  readonly name: string;
  /** @param run the number of earlier runs */
  drive(seconds: number, run: number): Promise<Driven>;
}

/** Sides that do the same work; the first is the yardstick. */
export interface Comparison {
  /** Its name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly notes: readonly string[];
  readonly sides: readonly Side[];
  /** The aim of a side, by its name: a ratio to the yardstick's rate. */
  readonly aims: Readonly<Record<string, number>>;
}
