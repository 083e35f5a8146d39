import type { Environment } from "../domain/environment.ts";
import type { ServerAddress } from "./openapi/document.ts";
import { BASE_PATH } from "./request/routes.ts";

/** How the document and the log name an environment. */
const ENVIRONMENT_TITLES: Readonly<Record<Environment, string>> = {
  production: "Production",
  staging: "Staging",
};

/** A service of an environment as the document's server. */
export function serverOf(environment: Environment, url: string): ServerAddress {
  return { url, description: ENVIRONMENT_TITLES[environment] };
}

/**
 * This service as the document's server. A service that listens on every address does not know which one its clients
 * use, so they get an address relative to the document's own (OpenAPI 3.1, section 4.8.5).
 */
export function ownServer(host: string, address: string, environment: Environment): ServerAddress {
  return serverOf(environment, listensEverywhere(host) ? BASE_PATH : address + BASE_PATH);
}

/** The address at which a service that listens on a host can be called from this machine. */
export function addressOf(host: string, port: number, tls: boolean): string {
  const name = listensEverywhere(host) ? (host.includes(":") ? "::1" : "127.0.0.1") : host;
  return `${tls ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Whether a host is the unspecified address of IPv4 or IPv6, however it is written: `0.0.0.0`, `0`, `::`, `::0`. */
function listensEverywhere(host: string): boolean {
  return /^(?:0+(?:\.0+)*|[:0]+)$/.test(host);
}
