import { readFileSync } from "node:fs";
import type { EventSink } from "../../domain/event.ts";
import { UnusableStore } from "../unusable-store.ts";
import { Pool } from "./pool.ts";
import { findPrimary, NoPrimary } from "./primary.ts";
import type { Credentials, Session } from "./server.ts";
import { type PostgresUrl, readPostgresUrl } from "./url.ts";

/** How long a server is waited for that says it is only starting, or full: it was started together with us. */
const PATIENCE_MS = 5000;

/**
 * Connects to the server, of those that a URL names, that takes writes.
 *
 * @param emit told when another server is used
 * @param epoch of the first server that is found
 * @throws UnusableStore, telling why each of them cannot be used
 */
export function openPool(text: string, emit: EventSink = () => {}, epoch?: number): Promise<Pool> {
  return reach(text, (url, credentials) => Pool.open(url, credentials, PATIENCE_MS, emit, epoch));
}

/**
 * Opens one connection to the server, of those that a URL names, that takes writes.
 *
 * @throws UnusableStore, telling why each of them cannot be used
 */
export function openSession(text: string): Promise<Session> {
  return reach(text, async (url, credentials) => (await findPrimary(url, credentials, 0, false)).session);
}

async function reach<Reached>(
  text: string,
  open: (url: PostgresUrl, credentials: Credentials) => Promise<Reached>,
): Promise<Reached> {
  const url = readPostgresUrl(text);
  if (!("hosts" in url)) throw new UnusableStore(`the database's URL ${url.join("; it ")}`);
  try {
    return await open(url, readCredentials(url));
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
