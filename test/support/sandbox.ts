import { Examples } from "../../sandbox/initial-state.ts";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { Sandbox, sandboxConfig } from "../../sandbox/sandbox.ts";
import { readConfig } from "../../src/config/read.ts";
import { startTelemetry } from "../../src/service/telemetry.ts";

/** A sandbox in this process, on a free port and a temporary store, gone with `await using`. */
export interface TestSandbox extends AsyncDisposable {
  readonly address: string;
  /** A key with every scope. */
  readonly key: string;
  /** Calls it with `key`, unless the headers say otherwise. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Calls its control interface, with a body as JSON. */
  control(method: string, path: string, body?: unknown): Promise<Response>;
  /** Plans faults, in place of all planned before. */
  plan(...faults: readonly object[]): Promise<void>;
  /** The number of planned faults that have not happened yet. */
  faultsLeft(): Promise<number>;
}

/**
 * @param names by which clients reach it, besides localhost
 * @param libc the library of C, in place of the system's own
 * @param isStrict whether what no operation declares is refused
 */
export async function startSandbox(
  settings: Record<string, string> = {},
  names: readonly string[] = [],
  libc?: string,
  isStrict = false,
): Promise<TestSandbox> {
  const { config } = readConfig({ PORT: "0", LOG_LEVEL: "silent", ...settings }, {}, "");
  const telemetry = await startTelemetry(sandboxConfig(config));
  const sandbox = await Sandbox.start({
    config: sandboxConfig(config),
    telemetry,
    initial: new Examples(),
    names,
    libc,
    isStrict,
  });
  const { address } = sandbox;
  const key = SANDBOX_KEYS[0].key;
  const control: TestSandbox["control"] = (method, path, body) =>
    fetch(`${address}/_sandbox${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
  return {
    address,
    key,
    call: (path, init = {}) =>
      fetch(address + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
      }),
    control,
    async plan(...faults) {
      const response = await control("PUT", "/faults", { faults });
      if (!response.ok) throw new Error(await response.text());
    },
    async faultsLeft() {
      const { faults } = (await (await control("GET", "/faults")).json()) as {
        faults: { count?: number }[];
      };
      return faults.reduce((sum, { count = Number.POSITIVE_INFINITY }) => sum + count, 0);
    },
    async [Symbol.asyncDispose]() {
      await sandbox.stop(0);
      await telemetry.close();
    },
  };
}
