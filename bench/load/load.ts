/** Connections, each with one request in flight, unless an experiment sets another number. */
export const CONNECTIONS = 64;

/** The result of one run in the closed model: each connection sends its next request when the last is answered. */
export interface Load {
  readonly requests: number;
  readonly microseconds: number;
  /** How many animals the run added: the creates in flight at its end may or may not be stored. */
  readonly created: { readonly least: number; readonly most: number };
  /** CPU time of the generator itself. */
  readonly generatorCpuMicroseconds: number;
  readonly generatorThreads: number;
}

/** The share of the run in which the generator was at work; near 1, it may have been the bottleneck. */
export function generatorBusy({ generatorCpuMicroseconds, generatorThreads, microseconds }: Load): number {
  return generatorCpuMicroseconds / (microseconds * generatorThreads);
}
