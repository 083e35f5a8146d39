import { type Logger, pino } from "pino";
import type { Notice } from "../../../relay/notice.ts";

type Named<Name extends Notice["notice"]> = Extract<Notice, { readonly notice: Name }>;

/** The log line of a notice. */
interface Line<Logged extends Notice> {
  readonly level: "debug" | "info" | "warn";
  text(notice: Logged): string;
  fields?(notice: Logged): Readonly<Record<string, unknown>>;
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;

/** Total: a new notice does not compile until it has a row here. */
const LINES: { readonly [Name in Notice["notice"]]: Line<Named<Name>> } = {
  ready: {
    level: "info",
    text: ({ from, to, after }) =>
      `relaying events of ${from} to ${to}${after === undefined ? "" : `, after event ${after}`}`,
    fields: ({ from, to, after }) => ({ from, to, after: after?.toString() }),
  },
  metrics_listening: {
    level: "info",
    text: ({ address }) => `metrics are at ${address}`,
    fields: ({ address }) => ({ metrics: address }),
  },
  delivered: {
    level: "debug",
    text: ({ message, status }) => `delivered event ${message.event.id}: ${status}`,
    fields: ({ message, attempts, status, milliseconds }) => ({
      ...factsOf(message),
      attempts,
      status,
      milliseconds,
    }),
  },
  attempt_failed: {
    level: "warn",
    text: ({ message, attempts, reason, againInMs }) =>
      `event ${message.event.id} was not delivered: ${reason}; attempt ${attempts + 1} follows in ${seconds(againInMs)}`,
    fields: ({ message, attempts, reason, milliseconds, againInMs }) => ({
      ...factsOf(message),
      attempts,
      reason,
      milliseconds,
      againInMs: Math.ceil(againInMs),
    }),
  },
  passed_over: {
    level: "debug",
    text: ({ id }) => `passed over event ${id}: --only does not name its type`,
    fields: ({ id }) => ({ id: `${id}` }),
  },
  service_away: {
    level: "warn",
    text: ({ error }) => `the feed cannot be read, and is asked for again until it can: ${error.message}`,
  },
  service_back: { level: "info", text: () => "the feed can be read again" },
  started_anew: {
    level: "warn",
    text: () => "the feed does not continue at the position; going on after the latest event, by --from-now",
  },
  position_unsaved: {
    level: "warn",
    text: ({ error }) =>
      `the position cannot be written: ${error.message}; after a restart events will be delivered again`,
  },
  stopping: { level: "info", text: ({ signal }) => `stopping: ${signal}` },
  stopped: { level: "info", text: () => "stopped" },
};

/** Names an event in a log line; its content belongs to the receiver. */
function factsOf({ id, event }: Named<"delivered">["message"]) {
  return { webhookId: id, event: `${event.id}`, type: event.type };
}

/** A log of notices on standard output: JSON lines, or lines for people. */
export function createRelayLog(level: string, format: "auto" | "json" | "pretty"): (notice: Notice) => void {
  const isPretty = format === "auto" ? process.stdout.isTTY : format === "pretty";
  const options = {
    level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  const logger = isPretty ? pino(options, prettyOutput()) : pino(options);
  return (notice) => write(logger, notice);
}

function prettyOutput() {
  const pretty: typeof import("pino-pretty") = require("pino-pretty");
  return pretty({ sync: true });
}

function write<Name extends Notice["notice"]>(logger: Logger, notice: Named<Name>): void {
  const line = LINES[notice.notice] as unknown as Line<Named<Name>>;
  logger[line.level](line.fields?.(notice) ?? {}, line.text(notice));
}
