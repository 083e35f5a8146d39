import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { stopSignal } from "../../src/process/stop-signal.ts";

/** Sends signals, each so many milliseconds after the one before; returns the first, and how many ended. */
async function send(...signals: [after: number, signal: string][]) {
  const process = new EventEmitter();
  let now = 1000;
  let ended = 0;
  const first = stopSignal(
    process,
    () => now,
    () => ended++,
  );
  for (const [after, signal] of signals) {
    now += after;
    process.emit(signal);
  }
  return { first: await first, ended };
}

describe("a stop signal", () => {
  test.each(["SIGTERM", "SIGINT"])("%s is the first", async (first) => {
    expect(await send([0, first])).toEqual({ first, ended: 0 });
  });

  test.each([
    ["SIGTERM", 0, "SIGTERM"],
    ["SIGTERM", 0, "SIGINT"],
    ["SIGINT", 0, "SIGTERM"],
    ["SIGINT", 101, "SIGINT"],
  ] as const)("%s, and %d ms later %s, ends the program at once", async (first, after, second) => {
    expect(await send([0, first], [after, second])).toEqual({ first, ended: 1 });
  });

  test("SIGINT twice at once is one Ctrl+C under `npm start`", async () => {
    expect(await send([0, "SIGINT"], [100, "SIGINT"])).toEqual({ first: "SIGINT", ended: 0 });
    expect(await send([0, "SIGINT"], [20, "SIGINT"], [500, "SIGINT"])).toEqual({ first: "SIGINT", ended: 1 });
  });
});
