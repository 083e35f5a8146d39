import { Output } from "../cli/output.ts";
import { configOf } from "../cli/settings-options.ts";
import type { Config } from "../config.ts";
import { addressOf, ownServer, serverOf } from "../http/address.ts";
import { openApiDocument, type ServerAddress } from "../http/openapi.ts";
import { openApiYaml } from "../http/openapi-yaml.ts";
import { operationsOffered } from "../operations/catalogue.ts";

/** `animal-store openapi`: prints the document that a service with this configuration serves. */
export async function printOpenApi(options: Record<string, unknown>): Promise<void> {
  const { config } = configOf(options);
  const { HOST, PORT, TLS_CERT, ENVIRONMENT } = config;
  const configured = serversOf(config);
  const servers =
    configured.length > 0
      ? configured
      : [ownServer(HOST, addressOf(HOST, PORT, TLS_CERT !== undefined), ENVIRONMENT)];
  const document = openApiDocument(operationsOffered(config.STABILITY), servers);
  await new Output().print(options.yaml ? await openApiYaml(document) : document);
}

/** The services that the configuration names. */
export function serversOf({ PRODUCTION_URL, STAGING_URL }: Config): ServerAddress[] {
  return [
    ...(PRODUCTION_URL ? [serverOf("production", PRODUCTION_URL)] : []),
    ...(STAGING_URL ? [serverOf("staging", STAGING_URL)] : []),
  ];
}
