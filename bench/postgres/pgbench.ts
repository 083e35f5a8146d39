import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "../child.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Side } from "./sample.ts";

/** The time limit of pgbench includes connecting, which takes a while on a busy machine; its rate does not. */
const CONNECTING_SECONDS = 2;

/** A script for pgbench and its weight among the others. */
type Weighted = readonly [script: string, weight: number];

/** Runs prepared statements, one in each transaction, on as many connections as the service has clients. */
export function pgbench(name: string, url: string, folder: string, ...scripts: readonly Weighted[]): Side {
  return {
    name,
    async drive(seconds) {
      const files = scripts.map(([script, weight], at) => {
        const file = join(folder, `${name.replaceAll(/\W+/g, "-")}-${at}.sql`);
        writeFileSync(file, script);
        return `${file}@${weight}`;
      });
      const options = [
        "-n",
        "-M",
        "prepared",
        "-c",
        `${CONNECTIONS}`,
        "-j",
        "1",
        "-T",
        `${seconds + CONNECTING_SECONDS}`,
        ...files.flatMap((file) => ["-f", file]),
      ];
      await using child = spawn(["pgbench", ...options, url]);
      const { exitCode, stdout } = await child.ended();
      const operations = Number(/^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1]);
      const failed = Number(/^number of failed transactions: (\d+)/m.exec(stdout)?.[1]);
      const perSecond = Number(/^tps = ([0-9.]+) \(without initial/m.exec(stdout)?.[1]);
      if (exitCode !== 0 || !operations || !perSecond || failed !== 0)
        throw new Error(`pgbench failed: ${stdout}`);
      return {
        operations,
        refusals: 0,
        seconds: operations / perSecond,
        generatorCpuMicroseconds: child.cpuMicroseconds,
      };
    },
  };
}
