import { storeUrlErrors } from "../stores/check-url.ts";

/** A text that a setting refuses. `rule` completes "NAME …": "must be true or false". */
export class Invalid {
  readonly rule: string;
  constructor(rule: string) {
    this.rule = rule;
  }
}

/** Reads the text of a setting. */
type Read<Value> = (text: string) => Value | Invalid;

/** One of these words, which a shell can complete. */
export function oneOf<Value extends string>(values: readonly Value[]) {
  const rule = `must be one of ${values.join(", ")}`;
  const read: Read<Value> = (text) => values.find((value) => value === text) ?? new Invalid(rule);
  return { values, read };
}

/** `auto`, or what another parser reads. */
export function orAuto<Value>(read: Read<Value>, rule: string): Read<Value | "auto"> {
  return (text) => {
    if (text === "auto") return text;
    const value = read(text);
    return value instanceof Invalid ? new Invalid(rule) : value;
  };
}

export function trueOrFalse(text: string): boolean | Invalid {
  return text === "true" || text === "false" ? text === "true" : new Invalid("must be true or false");
}

/** A whole number in plain decimal, within bounds. */
export function wholeNumber(least: number, greatest: number): Read<number> {
  return (text) => {
    const value = Number(text);
    return /^[0-9]{1,9}$/.test(text) && value >= least && value <= greatest
      ? value
      : new Invalid(`must be a whole number from ${least} to ${greatest}`);
  };
}

export function ratio(text: string): number | Invalid {
  return /^(?:0|1|[01]?\.[0-9]+)$/.test(text) && Number(text) <= 1
    ? Number(text)
    : new Invalid("must be a number from 0 to 1, such as 0.01");
}

export function host(text: string): string | Invalid {
  return /^[A-Za-z0-9.:_-]+$/.test(text)
    ? text
    : new Invalid("must be a host name or an IP address, such as 127.0.0.1");
}

/** The URL of a store. */
export function databaseUrl(text: string): string | Invalid {
  const mistakes = storeUrlErrors(text);
  return mistakes.length > 0 ? new Invalid(mistakes.join("; it ")) : text;
}

/** The base address of a deployment, as the OpenAPI document lists it. */
export function baseAddress(text: string): string | Invalid {
  const rule = "must be an http or https address that ends in /v1, such as https://animals.example.com/v1";
  const url = httpUrl(text);
  return url?.pathname.endsWith("/v1") && !url.username && !url.password
    ? url.origin + url.pathname
    : new Invalid(rule);
}

/** The address of an OpenTelemetry collector. */
export function collector(text: string): string | Invalid {
  return httpUrl(text)
    ? text
    : new Invalid("must be an http or https address, such as http://127.0.0.1:4318");
}

function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash ? url : undefined;
}

/** Header fields in OpenTelemetry's syntax: W3C Baggage without properties. */
export function headerFields(text: string): Readonly<Record<string, string>> | Invalid {
  const fields = text
    .split(",")
    .map((field) => /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!-~]+)\s*$/.exec(field));
  try {
    return Object.fromEntries(
      fields.map((field) => {
        if (!field) throw new URIError();
        return [field[1], decodeURIComponent(field[2] as string)];
      }),
    );
  } catch {
    return new Invalid("must be name=value pairs, separated by commas, with values percent-encoded");
  }
}

/** `*`, or a list of origins (RFC 6454), each without a path. */
export function origins(text: string): "*" | readonly string[] | Invalid {
  if (text === "*") return text;
  const named = text.split(",").map((origin) => origin.trim());
  return named.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin)
    ? named
    : new Invalid(
        "must be *, or origins such as https://shop.example.com, separated by commas, without paths",
      );
}

/** A quota of requests in each window. */
interface Rate {
  readonly quota: number;
  readonly windowSeconds: number;
}

const WINDOW_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** A number of requests for each second, minute or hour: `100/s`. */
export function rateLimit(text: string): Rate | Invalid {
  const [, quota, unit = ""] = /^([1-9][0-9]{0,8})\/([smh])$/.exec(text) ?? [];
  const windowSeconds = WINDOW_SECONDS[unit];
  return windowSeconds === undefined
    ? new Invalid("must be a number of requests per s, m or h, such as 100/s")
    : { quota: Number(quota), windowSeconds };
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads a duration such as `90d`, `12h`, `30m`, `45s` or `2w`, in milliseconds; `undefined` for anything else. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ""] = /^([0-9]{1,6})([smhdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? undefined : Number(amount) * unitMs;
}

const DAY_MS = 86_400_000;
/** The longest delay of a timer is 2^31 - 1 ms, a little more than this. */
const BACKUP_EVERY_MAX_DAYS = 24;

export const backupInterval = durationBetween(
  1,
  BACKUP_EVERY_MAX_DAYS * DAY_MS,
  `must be a duration of at most ${BACKUP_EVERY_MAX_DAYS}d, such as 15m, 1h or 1d`,
);

export const eventsKept = durationBetween(
  60_000,
  3650 * DAY_MS,
  "must be a duration from 1m to 3650d, such as 12h, 7d or 2w",
);

function durationBetween(leastMs: number, greatestMs: number, rule: string): Read<number> {
  return (text) => {
    const milliseconds = durationMs(text) ?? -1;
    return milliseconds >= leastMs && milliseconds <= greatestMs ? milliseconds : new Invalid(rule);
  };
}

/** @param what completes "must be …" */
export function notEmpty(what: string): Read<string> {
  return (text) => (text.trim() === "" ? new Invalid(`must be ${what}`) : text);
}

/** `print`, `none`, or the path of a file. */
export function firstKey(text: string): string | Invalid {
  // A leading quote was meant for a shell, and a trailing slash names a folder.
  return /^(?:print|none|(?!["'`])[^\0]*\/[^\0/]+)$/.test(text)
    ? text
    : new Invalid("must be print, none, or a file's path with a slash in it, such as ./first-key");
}
