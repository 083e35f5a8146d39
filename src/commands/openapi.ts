import type { Config } from "../config.ts";
import { openApiDocument, type ServerAddress } from "../http/openapi.ts";
import { addressOf, ownAddress } from "../http/server.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import { print } from "./print.ts";
import { configOf } from "./settings-options.ts";

/** `animal-store openapi`: prints the document that a service with this configuration serves. */
export async function printOpenApi(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const configured = serversOf(config);
  const servers =
    configured.length > 0
      ? configured
      : [ownAddress(addressOf(config.HOST, config.PORT, config.TLS_CERT !== undefined))];
  await print(openApiDocument(operationsOffered(config.STABILITY), servers));
}

/** The services that the configuration names. */
export function serversOf({ PRODUCTION_URL, STAGING_URL }: Config): ServerAddress[] {
  return [
    ...(PRODUCTION_URL ? [{ url: PRODUCTION_URL, description: "Production" }] : []),
    ...(STAGING_URL ? [{ url: STAGING_URL, description: "Staging" }] : []),
  ];
}
