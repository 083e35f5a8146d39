import { closeSync, openSync } from "node:fs";
import type { ObservationSink } from "../../observations/observation.ts";
import { assertFreeDescriptors } from "../../system/free-descriptors.ts";

/** How often the watch looks, in milliseconds. */
const LOOK_EVERY_MS = 1000;
/** After this many looks without a shortage, the shortage is over. */
const LOOKS_UNTIL_OVER = 10;

/**
 * Reports once when the process can open no more files, and once when that is over: the runtime accepts no connection
 * meanwhile, and says nothing.
 *
 * It closes no connection to make room. The runtime can close only those that have sent a request, which would sacrifice
 * clients to a flood of silent connections.
 */
export class DescriptorWatch {
  readonly #emit: ObservationSink;
  readonly #timer: Timer;
  /** Looks since the last shortage; `undefined` if there was none. */
  #looksSince: number | undefined;

  constructor(emit: ObservationSink) {
    this.#emit = emit;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (!canOpenFile()) {
      if (this.#looksSince === undefined) this.#emit({ event: "descriptors_exhausted" });
      this.#looksSince = 0;
    } else if (this.#looksSince !== undefined && ++this.#looksSince === LOOKS_UNTIL_OVER) {
      this.#looksSince = undefined;
      this.#emit({ event: "descriptors_available" });
    }
  }
}

/** Opens a file to find out, which takes some 5 µs: a count from `/proc` would need a descriptor too. */
function canOpenFile(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    return !saysOutOfDescriptors(error);
  }
}

/** Descriptors that must be free before code is loaded: more than the runtime opens at once meanwhile. */
const LOAD_NEEDS = 32;

/**
 * Asserts that code can be loaded while the service runs. With too few descriptors the runtime would end the process, or never
 * again find a package or read a module.
 *
 * @throws open(2)'s error
 */
export function assertCanLoad(): void {
  assertFreeDescriptors(LOAD_NEEDS);
}

/**
 * Whether a failure came from a lack of file descriptors (open(2)): it says so, or none can be opened now. The runtime
 * reports a module that it cannot open as missing.
 */
export function isOutOfDescriptors(error: unknown): boolean {
  return saysOutOfDescriptors(error) || !canOpenFile();
}

function saysOutOfDescriptors(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "EMFILE" || code === "ENFILE";
}
