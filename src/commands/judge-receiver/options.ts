import { isIP } from "node:net";
import { isLoopback, systemResolve, withoutBrackets } from "../../../relay/public-address.ts";
import type { Secret } from "../../../relay/secrets.ts";
import { Target } from "../../../relay/target.ts";
import { parseSeed } from "../../cli/counts.ts";
import { clientEnvironment } from "../../config/client-environment.ts";
import { CommandFailure, wrongValue } from "../../process/errors.ts";
import type { JudgeOptions } from "../judgement-report.ts";
import { secretsOfFile, webhookSecrets } from "../webhook-secrets.ts";

/** What the command was given, as text. */
export interface ReceiverOptions extends JudgeOptions {
  readonly secretFile?: string;
  readonly retiredSecretFile?: string;
  readonly probe?: string;
  readonly sandbox?: string;
  readonly seed?: string;
  readonly allowPrivate?: boolean;
}

/** What the command was given, read. */
interface ReceiverSettings {
  readonly target: Target;
  /** The address without its query, which may be a secret. */
  readonly shown: string;
  readonly secrets: readonly Secret[];
  readonly retired: Secret | undefined;
  readonly probe: URL | undefined;
  /** The control interface of a sandbox that the receiver calls. */
  readonly sandbox: URL | undefined;
  readonly seed: number;
}

const SEEDS = 1_000_000_000;

/** @throws CommandFailure that names what is missing or wrong; none shows a part of a secret */
export async function readReceiverOptions(
  address: string,
  options: ReceiverOptions,
  timeoutMs: number,
): Promise<ReceiverSettings> {
  const url = httpAddress("the receiver's address", address);
  const isNear = await isOnThisMachine(url);
  const allowPrivate = options.allowPrivate === true || isNear;
  if (url.protocol === "http:" && !allowPrivate) {
    throw new CommandFailure(
      "the receiver's address must begin with https, except on this machine (or with --allow-private).",
      2,
    );
  }
  const target = new Target({ url, allowPrivate, timeoutMs });
  await target.addresses().catch((error: Error & { code?: unknown }) => {
    throw new CommandFailure(
      `the receiver cannot be judged: ${error.message}.`,
      error.code === undefined ? 2 : 3,
    );
  });
  if (options.probe !== undefined && options.sandbox !== undefined) {
    throw new CommandFailure("--probe and --sandbox are both set; leave one out.", 2);
  }
  return {
    target,
    shown: url.origin + url.pathname,
    secrets: await webhookSecrets(options.secretFile, clientEnvironment().RELAY_SECRET),
    retired: await retiredSecret(options.retiredSecretFile),
    probe: options.probe === undefined ? undefined : httpAddress("--probe", options.probe),
    sandbox: options.sandbox === undefined ? undefined : controlAddress(options.sandbox),
    seed: options.seed === undefined ? Math.floor(Math.random() * SEEDS) : parseSeed(options.seed),
  };
}

/** It is not shown: what cannot be read may hold a password. */
function httpAddress(what: string, text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash) return url;
  throw new CommandFailure(
    `${what} must be an http or https address without user, password and fragment.`,
    2,
  );
}

function controlAddress(text: string): URL {
  const url = httpAddress("--sandbox", text);
  if (/\/_sandbox(?:\/|$)/.test(url.pathname) && !url.search) return url;
  throw wrongValue(
    "--sandbox",
    text,
    "be the control address that a sandbox prints, for example http://127.0.0.1:8080/_sandbox",
  );
}

/** A developer's receiver is on the developer's machine; the person who names it there means it. */
async function isOnThisMachine({ hostname }: URL): Promise<boolean> {
  const host = withoutBrackets(hostname);
  const addresses = isIP(host) ? [host] : await systemResolve(host).catch(() => []);
  return addresses.length > 0 && addresses.every(isLoopback);
}

async function retiredSecret(file: string | undefined): Promise<Secret | undefined> {
  if (file === undefined) return undefined;
  const [secret, ...others] = await secretsOfFile(file);
  if (others.length === 0) return secret;
  throw new CommandFailure(`${file} holds several secrets; only one can have been retired last.`, 2);
}
