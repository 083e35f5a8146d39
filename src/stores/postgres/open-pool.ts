import { readFileSync } from "node:fs";
import { UnusableStore } from "../unusable-store.ts";
import { Pool } from "./pool.ts";
import { NoPrimary } from "./primary.ts";
import type { Credentials } from "./server.ts";
import { type PostgresUrl, readPostgresUrl } from "./url.ts";

/** How long a server is waited for that says it is only starting, or full: it was started together with us. */
const PATIENCE_MS = 5000;

/**
 * Connects to the server, of those that a URL names, that takes writes.
 *
 * @throws UnusableStore, telling why each of them cannot be used
 */
export async function openPool(text: string): Promise<Pool> {
  const url = readPostgresUrl(text);
  if (!("hosts" in url)) throw new UnusableStore(`the database's URL ${url.join("; it ")}`);
  const credentials = readCredentials(url);
  try {
    return await Pool.open(url, credentials, PATIENCE_MS);
  } catch (error) {
    if (!(error instanceof NoPrimary)) throw error;
    const what = url.hosts.length > 1 ? "no PostgreSQL that takes writes" : "cannot use PostgreSQL";
    throw new UnusableStore(`${what}: ${error.message}.`, { cause: error });
  }
}

function readCredentials({ password = "", options }: PostgresUrl): Credentials {
  const { sslRootCert, sslCert, sslKey } = options;
  return {
    password,
    ca: readPem("sslrootcert", sslRootCert),
    cert: readPem("sslcert", sslCert),
    key: readPem("sslkey", sslKey),
  };
}

function readPem(option: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, "utf8");
    if (text.includes("-----BEGIN ")) return text;
  } catch (error) {
    throw new UnusableStore(
      `the file ${path} of the option ${option} cannot be read: ${(error as Error).message}`,
    );
  }
  throw new UnusableStore(`the file ${path} of the option ${option} is not in PEM`);
}
