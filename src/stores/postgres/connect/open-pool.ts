import { readFileSync } from "node:fs";
import type { ObservationSink } from "../../../observations/observation.ts";
import { UnusableStore } from "../../errors.ts";
import { Pool, type PoolOptions } from "./pool.ts";
import { findPrimary, NoPrimary } from "./primary.ts";
import { type Session, START_CONNECT_MS, type Target } from "./server.ts";
import { type PostgresUrl, readPostgresUrl } from "./url.ts";

/** How long to wait for a server that is starting or has no free connection, since both may start at the same time. */
const START_WAIT_MAX_MS = 5000;

/** How long a command waits for a statement, mostly for locks. */
const COMMAND_STATEMENT_MS = 30_000;

/**
 * Connects to the primary among the servers that a URL names.
 *
 * @throws UnusableStore with the reason why each server cannot be used
 */
export function openPool(text: string, options: PoolOptions = {}): Promise<Pool> {
  return reach(text, (target) => Pool.open(target, START_WAIT_MAX_MS, options));
}

/**
 * Connects as `openPool` does, for a command: its statements may wait longer than those of requests, and it reports what
 * they wait for.
 *
 * @throws UnusableStore with the reason why each server cannot be used
 */
export function openPatientPool(text: string, emit: ObservationSink): Promise<Pool> {
  return reach(text, async (target) => {
    const pool = await Pool.open(patient(target), START_WAIT_MAX_MS, { emit });
    pool.reportWaits("this command");
    return pool;
  });
}

/**
 * Opens a single connection for a command, to the primary among the servers that a URL names.
 *
 * @throws UnusableStore with the reason why each server cannot be used
 */
export function openSession(text: string): Promise<Session> {
  return reach(text, async (target) => (await findPrimary(patient(target), 0, false)).session);
}

/** The target with the deadlines of a command, which no client waits for. */
function patient(target: Target): Target {
  const options = { statementTimeoutMs: COMMAND_STATEMENT_MS, connectTimeoutMs: START_CONNECT_MS };
  return { ...target, options: { ...target.options, ...options } };
}

async function reach<Reached>(text: string, open: (target: Target) => Promise<Reached>): Promise<Reached> {
  const url = readPostgresUrl(text);
  if (!("hosts" in url)) throw new UnusableStore(`the database's URL ${url.join("; it ")}`);
  try {
    return await open(readFiles(url));
  } catch (error) {
    if (!(error instanceof NoPrimary)) throw error;
    const what = url.hosts.length > 1 ? "no PostgreSQL that takes writes" : "cannot use PostgreSQL";
    throw new UnusableStore(`${what}: ${error.message}.`, { cause: error });
  }
}

function readFiles(url: PostgresUrl): Target {
  const { sslRootCert, sslCert, sslKey } = url.options;
  return {
    ...url,
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
