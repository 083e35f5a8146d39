import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { PROGRAM, TIED } from "../support/program.ts";
import { SECRET } from "./receiver.ts";

/** What a relay is started with, beside its secret. */
interface RelayStart {
  /** Its folder, in which its secret and its position are. */
  readonly cwd: string;
  /** The address of the service, without `/v1`. */
  readonly address: string;
  readonly key: string;
  readonly to: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `relay` on a position file of its folder; `await using` kills it. */
export function startRelayProcess({ cwd, address, key, to, args = [], env = {} }: RelayStart): Child {
  writeFileSync(join(cwd, "secret"), `${SECRET}\n`);
  const { PATH = "", HOME = "" } = process.env;
  const own = ["--secret-file", "secret", "--position", "position.json", "--allow-private"];
  return new Child([...TIED, PROGRAM, "relay", "--from", `${address}/v1`, "--to", to, ...own, ...args], {
    cwd,
    env: { PATH, HOME, API_KEY: key, ...env },
  });
}
