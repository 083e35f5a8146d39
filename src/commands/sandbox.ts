import { CONTROL_PATH } from "../../sandbox/control.ts";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { Sandbox, sandboxConfig } from "../../sandbox/sandbox.ts";
import { StoreFile } from "../../sandbox/store-file.ts";
import { configOf } from "../cli/options.ts";
import { BASE_PATH } from "../http/request/routes.ts";
import { CommandFailure, cannotWrite, wrongValue } from "../process/errors.ts";
import { stopSignal } from "../process/stop-signal.ts";
import { listenError } from "../service/listen-error.ts";
import { exitWithin, secondsForRequests } from "../service/stop-deadline.ts";
import { startTelemetry } from "../service/telemetry.ts";
import { storeUrlErrors } from "../stores/check-url.ts";
import { ReadyFile } from "./ready-file.ts";
import { initialFaultsOf } from "./sandbox/initial-faults.ts";
import { initialStateOf } from "./sandbox/initial-state.ts";

/** Other commands name a store by a URL. */
const SCHEME = /^(?:sqlite|file|postgres(?:ql)?):/i;

/** `animal-store sandbox`: serves examples, with faults on demand, until a signal says stop. */
export async function runSandbox(options: Record<string, unknown>): Promise<void> {
  const { config: given, warnings } = configOf(options);
  const config = sandboxConfig(given);
  const { HOST, PORT, SHUTDOWN_SECONDS } = config;
  const telemetry = await startTelemetry(config);
  const { emit } = telemetry;
  for (const warning of warnings) emit({ event: "setting_warning", warning });
  const stop = stopSignal(process, performance.now.bind(performance), () => process.exit(1));
  const file = storeFile(options.store as string | undefined);
  const names = hostNames(options.allowHost as string | undefined);
  const readyFile =
    options.readyFile === undefined ? undefined : new ReadyFile(options.readyFile as string, "sandbox");
  // A second signal, or a stop that takes too long, ends the program without returning to this function.
  process.once("exit", () => {
    readyFile?.[Symbol.dispose]();
    file?.[Symbol.dispose]();
  });
  const initial = await initialStateOf(options);
  const faults = initialFaultsOf(options);
  const isStrict = options.strict === true;
  const started = Sandbox.start({ config, telemetry, file, initial, names, faults, isStrict });
  const sandbox = await started.catch(async (error) => {
    throw await listenError(error, ["HOST", HOST], ["PORT", PORT]);
  });
  const { address } = sandbox;
  const [{ key }] = SANDBOX_KEYS;
  const example = `curl -H 'Authorization: Bearer ${key}' '${address}/v1/pets'`;
  const control = address + CONTROL_PATH;
  emit({ event: "sandbox_listening", address, control, keys: SANDBOX_KEYS, example });
  try {
    readyFile?.write({
      address,
      baseUrl: address + BASE_PATH,
      control,
      pid: process.pid,
      keys: SANDBOX_KEYS,
    });
  } catch (error) {
    // It would serve on although nobody learns that it is ready, and no signal would stop it.
    await sandbox.stop(0);
    throw cannotWrite(options.readyFile as string, error);
  }
  const stops = [stop, sandbox.failed, ...(options.untilStdinEnds === true ? [endOfInput()] : [])];
  const signal = await Promise.race(stops);
  exitWithin(SHUTDOWN_SECONDS, emit);
  emit({ event: "stopping", signal });
  await sandbox.stop(secondsForRequests(SHUTDOWN_SECONDS));
  emit({ event: "stopped" });
  // A log whose reader hangs would keep the process running for ever.
  if (!(await telemetry.close())) process.exit(0);
}

/**
 * Resolves when the standard input has ended: the kernel closes a pipe with the process at its other end, even a killed one.
 */
function endOfInput(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const end of ["end", "error"]) process.stdin.once(end, () => resolve("the end of its standard input"));
  process.stdin.resume();
  // It must not keep a stopped sandbox running.
  process.stdin.unref();
  return promise;
}

function storeFile(path: string | undefined): StoreFile | undefined {
  if (path === undefined) return undefined;
  if (SCHEME.test(path) || storeUrlErrors(`sqlite:${path}`).length > 0) {
    throw new CommandFailure(
      `--store must name a file, for example ./sandbox.db, and not ${JSON.stringify(path)}.`,
      2,
    );
  }
  return new StoreFile(path);
}

function hostNames(list: string | undefined): string[] {
  const names = list?.split(",").map((name) => name.trim()) ?? [];
  const wrong = names.find((name) => !/^[A-Za-z0-9._-]+$/.test(name));
  if (wrong === undefined) return names;
  throw wrongValue(
    "--allow-host",
    list ?? "",
    "be names separated by commas, for example sandbox,sandbox.internal",
  );
}
