import { CommandFailure } from "../cli/errors.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { addressOf } from "../http/address.ts";

/** A probe that takes longer is of no use: the answer would be out of date. */
const TIMEOUT_MS = 2500;

/** Another program on the port may answer with a whole page. */
const SHOWN_MAX = 300;

/** `animal-store ready`: whether the service with this configuration, on this machine, takes requests. */
export async function checkReady(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const address = addressOf(config.HOST, config.PORT, config.TLS_CERT !== undefined);
  const { ok, body } = await ask(`${address}/readyz`).catch((error: Error & { readonly code?: unknown }) => {
    const reason = typeof error.code === "string" ? error.code : error.message.replace(/\.$/, "");
    throw new CommandFailure(`${address} does not respond: ${reason}.`);
  });
  if (!ok) throw new CommandFailure(`${address} is not ready: ${body.slice(0, SHOWN_MAX)}`);
  await new Output(options).report({ address, ready: true }, `${address} is ready.`);
}

async function ask(url: string): Promise<{ readonly ok: boolean; readonly body: string }> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // The certificate names the host that clients use, and the probe exchanges nothing secret.
    tls: { rejectUnauthorized: false },
    // A proxy for outgoing requests must not be used. The runtime accepts `false`, which its types do not have.
    ...({ proxy: false } as RequestInit),
  });
  // The body, too, must arrive in time.
  return { ok: response.ok, body: await response.text() };
}
