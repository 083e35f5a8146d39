import { readFileSync } from "node:fs";
import type { Config } from "../config/settings.ts";
import type { Tls } from "../http/runtime/bun-servers.ts";
import type { RunningServer } from "../http/server.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { CommandFailure } from "../process/errors.ts";

/** Reads the certificate and key that the configuration names, if any. */
export function readTls({ TLS_CERT, TLS_KEY }: Config): Tls | undefined {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined;
  return { cert: readPem("TLS_CERT", TLS_CERT), key: readPem("TLS_KEY", TLS_KEY) };
}

/** Reloads the certificate on SIGHUP; if it cannot be used, the previous one stays in force. */
export function replaceTlsOnHangup(
  server: Pick<RunningServer, "replaceTls">,
  config: Config,
  emit: ObservationSink,
): void {
  process.on("SIGHUP", async () => {
    try {
      const tls = readTls(config);
      if (!tls) return;
      await server.replaceTls(tls);
      emit({ event: "tls_replaced" });
    } catch (error) {
      emit({ event: "tls_unusable", error });
    }
  });
}

/** What would be right, by the most frequent reasons. */
const ADVICE: Readonly<Record<string, string>> = {
  "no start line": "both must be PEM files",
  "bad end line": "both must be complete PEM files",
  "key values mismatch": "the certificate must have been made for this key",
};

/** The message for a certificate that does not fit its key or is invalid; `undefined` for any other error. */
export function tlsError(error: unknown): CommandFailure | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!code?.startsWith("ERR_OSSL")) return undefined;
  // The message has the form "error:0b000074:X.509 certificate routines:OPENSSL_internal:KEY_VALUES_MISMATCH".
  const reason = message.split(":").at(-1)?.replaceAll("_", " ").toLowerCase() ?? "";
  const problem = `TLS_CERT and TLS_KEY cannot be used together: ${reason}`;
  const advice = ADVICE[reason];
  return new CommandFailure(advice ? `${problem}; ${advice}` : problem, 1, { cause: error });
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`${name} cannot be read: ${(error as Error).message}`, 1, { cause: error });
  }
}
