import { CommandFailure } from "../cli/errors.ts";
import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { addressOf } from "../http/address.ts";

/** A probe that takes longer says nothing that is still true. */
const PATIENCE_MS = 2500;

/** `animal-store ready`: whether the service with this configuration, on this machine, takes requests. */
export async function checkReady(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const address = addressOf(config.HOST, config.PORT, config.TLS_CERT !== undefined);
  const response = await fetch(`${address}/readyz`, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    // The certificate is for the name that clients use, and nothing secret is sent or asked.
    tls: { rejectUnauthorized: false },
    // A proxy for the world outside leads elsewhere; the runtime takes `false`, and its types do not know it.
    ...({ proxy: false } as RequestInit),
  }).catch((error: Error & { readonly code?: unknown }) => {
    const reason = typeof error.code === "string" ? error.code : error.message.replace(/\.$/, "");
    throw new CommandFailure(`${address} does not respond: ${reason}.`);
  });
  const body = await response.text();
  if (!response.ok) throw new CommandFailure(`${address} is not ready: ${body}`);
  await new Output(options).report({ address, ready: true }, `${address} is ready.`);
}
