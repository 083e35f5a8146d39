import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { addressOf } from "../http/address.ts";
import { CommandFailure } from "../process/errors.ts";

/** A probe that takes longer is of no use: the answer would be out of date. */
const TIMEOUT_MS = 2500;

/** `animal-store ready`: whether the service with this configuration, on this machine, takes requests. */
export async function checkReady(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const address = addressOf(config.HOST, config.PORT, config.TLS_CERT !== undefined);
  const answer = await ask(`${address}/readyz`).catch((error: Error & { readonly code?: unknown }) => {
    const reason = typeof error.code === "string" ? error.code : error.message.replace(/\.$/, "");
    throw new CommandFailure(`${address} does not respond: ${reason}.`);
  });
  const { status, code, message, store } = answer;
  if (code === "not_ready") throw new CommandFailure(`${address} is not ready: ${message}`);
  if (status !== "ready") {
    throw new CommandFailure(
      `${address} is not an Animal Store: another program uses this port. Name the service's with --host and --port.`,
    );
  }
  await new Output(options).report({ address, ready: true, store: store ?? null }, `${address} is ready.`);
}

/** The members of a service's answer; empty if what answers is not a service. */
async function ask(url: string): Promise<Readonly<Record<string, unknown>>> {
  const requestId = crypto.randomUUID();
  const response = await fetch(url, {
    headers: { "X-Request-Id": requestId },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // The certificate names the host that clients use, and the probe exchanges nothing secret.
    tls: { rejectUnauthorized: false },
    redirect: "manual",
    // A proxy for outgoing requests must not be used. The runtime accepts `false`, which its types do not have.
    ...({ proxy: false } as RequestInit),
  });
  // The body, too, must arrive in time.
  const body = await response.text();
  // A service repeats the id of each request.
  if (response.headers.get("x-request-id") !== requestId) return {};
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}
