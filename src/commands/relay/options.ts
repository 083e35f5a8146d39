import type { Secret } from "../../../relay/secrets.ts";
import { Target } from "../../../relay/target.ts";
import { type ClientEnvironment, clientEnvironment } from "../../config/client-environment.ts";
import { baseAddress, Invalid } from "../../config/parsers.ts";
import { EVENT_TYPES } from "../../domain/change-event.ts";
import { parsePositiveInt64 } from "../../domain/int64.ts";
import { CommandFailure, wrongValue } from "../../process/errors.ts";
import { webhookSecrets } from "../webhook-secrets.ts";

/** A page of the feed has no more events, and the next one is read when they are delivered. */
const AT_ONCE_MAX = 100;

/** The flags and variables of `relay`, read. */
interface RelaySettings {
  readonly from: string;
  readonly key: string;
  readonly target: Target;
  /** The target's address without its query, which may be a secret. */
  readonly shownTo: string;
  readonly secrets: readonly Secret[];
  readonly position: string;
  readonly atOnce: number;
  /** Undefined: events of every type. */
  readonly only: ReadonlySet<string> | undefined;
  readonly replayFrom: bigint | undefined;
  readonly fromNow: boolean;
  readonly readyFile: string | undefined;
}

/** @throws CommandFailure that names what is missing or wrong; none shows a part of a secret */
export async function readRelayOptions(
  given: Readonly<Record<string, unknown>>,
  { API_KEY: key, RELAY_SECRET }: ClientEnvironment = clientEnvironment(),
): Promise<RelaySettings> {
  const texts = given as Readonly<Record<string, string | undefined>>;
  if (key === undefined)
    throw new CommandFailure("API_KEY is not set; it must be an API key of the service.", 2);
  const from = baseAddress(texts.from as string);
  if (from instanceof Invalid)
    throw wrongValue("--from", texts.from as string, from.rule.replace(/^must /, ""));
  const allowPrivate = given.allowPrivate === true;
  const url = targetUrl(texts.to as string, allowPrivate);
  const target = new Target({ url, allowPrivate });
  await assertReachable(target);
  return {
    from,
    key,
    target,
    shownTo: url.origin + url.pathname,
    secrets: await webhookSecrets(texts.secretFile, RELAY_SECRET),
    position: texts.position as string,
    atOnce: atOnce(texts.atOnce),
    only: typesOf(texts.only),
    replayFrom: replayFrom(texts.replayFrom),
    fromNow: given.fromNow === true,
    readyFile: texts.readyFile,
  };
}

function targetUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.parse(text);
  const schemes = allowPrivate ? /^https?:$/ : /^https:$/;
  if (url && schemes.test(url.protocol) && !url.username && !url.password && !url.hash) return url;
  // It is not shown: what cannot be read may hold a password.
  const rule = allowPrivate ? "an http or https address" : "an https address (http needs --allow-private)";
  throw new CommandFailure(`--to must be ${rule} without user, password and fragment.`, 2);
}

/** A name that cannot be resolved now may be resolved later; a name that leads to this network is a mistake. */
async function assertReachable(target: Target): Promise<void> {
  await target.addresses().catch((error: Error & { code?: unknown }) => {
    if (error.code === undefined) throw new CommandFailure(`--to cannot be used: ${error.message}.`, 2);
  });
}

function atOnce(text: string | undefined): number {
  if (text === undefined) return 1;
  if (/^[1-9][0-9]*$/.test(text) && Number(text) <= AT_ONCE_MAX) return Number(text);
  throw wrongValue("--at-once", text, `be a whole number from 1 to ${AT_ONCE_MAX}`);
}

function typesOf(list: string | undefined): ReadonlySet<string> | undefined {
  if (list === undefined) return undefined;
  const types = list.split(",").map((type) => type.trim());
  const wrong = types.find((type) => !(EVENT_TYPES as readonly string[]).includes(type));
  if (wrong === undefined) return new Set(types);
  throw wrongValue("--only", list, `name some of ${EVENT_TYPES.join(", ")}, separated by commas`);
}

function replayFrom(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const id = parsePositiveInt64(text);
  if (id !== undefined) return id;
  throw wrongValue("--replay-from", text, "be the id of an event");
}
