import { type Delivery, SYSTEM_CLOCK } from "../../relay/deliver.ts";
import { RelayEnd, type Why } from "../../relay/end.ts";
import type { NoticeSink } from "../../relay/notice.ts";
import { relay } from "../../relay/relay.ts";
import { serviceClient } from "../../relay/service-client.ts";
import { configOf } from "../cli/options.ts";
import type { Config } from "../config/settings.ts";
import { CommandFailure, cannotWrite, type ExitCode } from "../process/errors.ts";
import { stopSignal } from "../process/stop-signal.ts";
import { listenError } from "../service/listen-error.ts";
import { VERSION } from "../system/version.ts";
import { ReadyFile } from "./ready-file.ts";
import { createRelayLog } from "./relay/log.ts";
import { RelayMetrics } from "./relay/metrics.ts";
import { readRelayOptions } from "./relay/options.ts";
import { takePosition } from "./relay/take-position.ts";

const EXIT_CODES: Readonly<Record<Why, ExitCode>> = {
  refused: 1,
  undelivered: 4,
  gone: 5,
  feed_lost: 6,
  foreign_position: 2,
  replay_unknown: 2,
};

/** The reason of the signals that end a relay which was told to stop. */
const STOPPED = Symbol("stopped");

/** `animal-store relay`: posts the feed of a service to an address until a signal says stop. */
export async function runRelay(given: Record<string, unknown>): Promise<void> {
  const { config } = configOf(given);
  const options = await readRelayOptions(given);
  const metrics = new RelayMetrics();
  const log = createRelayLog(config.LOG_LEVEL, config.LOG_FORMAT);
  const notify: NoticeSink = (notice) => {
    log(notice);
    metrics.count(notice);
  };
  const [stop, cut] = [new AbortController(), new AbortController()];
  const signal = stopSignal(process, performance.now.bind(performance), () => process.exit(1));
  await using file = takePosition(options.position, notify);
  using readyFile = options.readyFile === undefined ? undefined : new ReadyFile(options.readyFile, "relay");
  process.once("exit", () => readyFile?.[Symbol.dispose]());
  const position = await file.position();
  await using _ = await serveMetrics(config, metrics, notify);
  void signal.then((name) => {
    notify({ notice: "stopping", signal: name });
    stop.abort(STOPPED);
    // What was not answered by then is delivered again after the next start.
    setTimeout(() => cut.abort(STOPPED), config.SHUTDOWN_SECONDS * 1000).unref();
  });
  const delivery: Delivery = {
    target: options.target,
    secrets: options.secrets,
    agent: `animal-store-relay/${VERSION}`,
    notify,
    clock: SYSTEM_CLOCK,
    stop: stop.signal,
    cut: cut.signal,
  };
  try {
    await relay({
      store: serviceClient(options.from, options.key, notify),
      delivery,
      atOnce: options.atOnce,
      start: options.fromNow ? "latest" : "oldest",
      position,
      replayFrom: options.replayFrom,
      restarts: options.fromNow,
      wants: (type) => options.only?.has(type) ?? true,
      keep: (position) => file.keep(position),
      onReady: (after) => {
        const { from, shownTo: to } = options;
        notify({ notice: "ready", from, to, after });
        writeReadyFile(readyFile, options.readyFile, { from, to, pid: process.pid });
      },
    });
  } catch (error) {
    if (error !== STOPPED) throw failureOf(error, options.position);
  }
  await file.settled();
  notify({ notice: "stopped" });
}

async function serveMetrics(
  { METRICS_HOST, METRICS_PORT }: Config,
  metrics: RelayMetrics,
  notify: NoticeSink,
): Promise<AsyncDisposable> {
  if (METRICS_PORT === undefined) return { async [Symbol.asyncDispose]() {} };
  try {
    const server = metrics.serve(METRICS_HOST, METRICS_PORT);
    notify({ notice: "metrics_listening", address: `${server.url}metrics` });
    return { [Symbol.asyncDispose]: () => server.stop(true) };
  } catch (error) {
    throw await listenError(error, ["METRICS_HOST", METRICS_HOST], ["METRICS_PORT", METRICS_PORT]);
  }
}

function writeReadyFile(file: ReadyFile | undefined, path: string | undefined, facts: object): void {
  try {
    file?.write({ ...facts });
  } catch (error) {
    throw cannotWrite(path ?? "", error);
  }
}

function failureOf(error: unknown, position: string): unknown {
  if (!(error instanceof RelayEnd)) return error;
  const message =
    error.why === "foreign_position"
      ? `${position} is the position in another store's feed: name another file with --position, or the service of that store with --from.`
      : error.message;
  return new CommandFailure(message, EXIT_CODES[error.why], { cause: error });
}
