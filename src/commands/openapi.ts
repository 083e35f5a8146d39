import { configOf } from "../cli/options.ts";
import { Output } from "../cli/output.ts";
import { addressOf, ownServer } from "../http/address.ts";
import { openApiDocument } from "../http/openapi/document.ts";
import { openApiYaml } from "../http/openapi/yaml.ts";
import { operationsOffered } from "../operations/catalogue.ts";
import { serversOf } from "../service/server-options.ts";

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
