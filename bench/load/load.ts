/** Requests that are under way at once, where an experiment does not say otherwise. */
export const CONNECTIONS = 64;

/** What a load generator saw of one run, in which each connection sends its next request when it has the answer to its last. */
export interface Load {
  readonly requests: number;
  readonly microseconds: number;
  /** How many animals the run may have added: what was cut off at its end may have been stored or not. */
  readonly created: { readonly least: number; readonly most: number };
  /** What the generator itself has used. */
  readonly generatorCpuMicroseconds: number;
  readonly generatorThreads: number;
}

/** The share of the time in which a generator was at work; close to 1, it may have held the server up. */
export function generatorBusy({ generatorCpuMicroseconds, generatorThreads, microseconds }: Load): number {
  return generatorCpuMicroseconds / (microseconds * generatorThreads);
}
