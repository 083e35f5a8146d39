import { isIP } from "node:net";
import {
  isLoopback,
  localOnly,
  type Resolve,
  systemResolve,
  withoutBrackets,
} from "../../../relay/public-address.ts";
import { isAmong, type Secret } from "../../../relay/secrets.ts";
import { Target, TIMEOUT_MS } from "../../../relay/target.ts";
import { parseSeed } from "../../cli/counts.ts";
import { clientEnvironment } from "../../config/client-environment.ts";
import { CommandFailure } from "../../process/errors.ts";
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
export interface ReceiverSettings {
  readonly target: Target;
  /** How long `target` waits for a response: no longer than a relay does, whose patience a receiver is judged by. */
  readonly responseMs: number;
  /** The address without its query, which may be a secret. */
  readonly shown: string;
  readonly secrets: readonly Secret[];
  readonly retired: Secret | undefined;
  readonly probe: URL | undefined;
  /** The control interface of a sandbox that the receiver calls. */
  readonly sandbox: URL | undefined;
  /** Of the space of that sandbox. */
  readonly key: string | undefined;
  readonly seed: number;
}

const SEEDS = 1_000_000_000;

/** @throws CommandFailure that names what is missing or wrong; none shows a part of a secret */
export async function readReceiverOptions(
  address: string,
  options: ReceiverOptions,
  timeoutMs: number,
  resolve: Resolve = systemResolve,
): Promise<ReceiverSettings> {
  const url = httpAddress("the receiver's address", address);
  const isNear = await isOnThisMachine(url, resolve);
  const allowPrivate = options.allowPrivate === true || isNear;
  if (url.protocol === "http:" && !allowPrivate) {
    throw new CommandFailure(
      "the receiver's address must begin with https, except on this machine (or with --allow-private).",
      2,
    );
  }
  const responseMs = Math.min(timeoutMs, TIMEOUT_MS);
  const target = new Target({
    url,
    allowPrivate,
    timeoutMs: responseMs,
    // A name that needs no leave since it leads to this machine must go on leading here.
    resolve: options.allowPrivate === true || !isNear ? resolve : localOnly(resolve),
  });
  await target.addresses().catch((error: Error & { code?: unknown }) => {
    throw new CommandFailure(
      `the receiver cannot be judged: ${error.message}.`,
      error.code === undefined ? 2 : 3,
    );
  });
  if (options.probe !== undefined && options.sandbox !== undefined) {
    throw new CommandFailure("--probe and --sandbox are both set; leave one out.", 2);
  }
  const { API_KEY: key, RELAY_SECRET } = clientEnvironment();
  const secrets = await webhookSecrets(options.secretFile, RELAY_SECRET);
  return {
    target,
    responseMs,
    shown: url.origin + url.pathname,
    secrets,
    retired: await retiredSecret(options.retiredSecretFile, secrets),
    probe: options.probe === undefined ? undefined : httpAddress("--probe", options.probe),
    sandbox: options.sandbox === undefined ? undefined : controlAddress(options.sandbox),
    key,
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
  throw new CommandFailure(
    "--sandbox must be the control address that a sandbox prints, for example http://127.0.0.1:8080/_sandbox.",
    2,
  );
}

/** A developer's receiver is on the developer's machine; the person who names it there means it. */
async function isOnThisMachine({ hostname }: URL, resolve: Resolve): Promise<boolean> {
  const host = withoutBrackets(hostname);
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  return addresses.length > 0 && addresses.every(isLoopback);
}

/** @param secrets that the receiver knows at present */
async function retiredSecret(
  file: string | undefined,
  secrets: readonly Secret[],
): Promise<Secret | undefined> {
  if (file === undefined) return undefined;
  const [secret, ...others] = await secretsOfFile(file);
  if (secret === undefined || others.length > 0) {
    throw new CommandFailure(`${file} holds several secrets; only one can have been retired last.`, 2);
  }
  if (!isAmong(secrets, secret)) return secret;
  throw new CommandFailure(
    `${file} holds a secret that the receiver still has; it must hold the secret that was replaced.`,
    2,
  );
}
