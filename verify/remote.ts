import { accessOf, lackOf } from "../contract/access.ts";
import { beyondReach, coverageOf } from "../contract/coverage.ts";
import { GROUPS } from "../contract/groups.ts";
import { ContractSession, type Group, runCases } from "../contract/session.ts";
import type { Finding, Outcome } from "./check.ts";
import { findingOf, outcomeOf } from "./finding-of.ts";
import { PacedClient } from "./paced-client.ts";

/** A running service that others may be using. */
interface Remote {
  /** Its base address, with the version segment, without a slash at its end. */
  readonly base: string;
  readonly key: string;
  /** The prefix of the names of all animals that the run adds. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  readonly onRequest: () => void;
}

const COVER = { name: "cover", promise: "The service's OpenAPI document declares every response." };

/** The service does not accept the key. */
export class KeyRefused extends Error {}

/** What a run leaves at the service, and how much it asked. */
export interface RemoteSummary {
  /** The animals that were added, and the orders that were placed for them. */
  readonly animals: number;
  readonly orders: number;
  readonly requests: number;
}

/**
 * Checks the contract of a service that runs already, at a bounded rate.
 *
 * @throws KeyRefused
 */
export async function* checkRemote(remote: Remote): AsyncGenerator<Outcome, RemoteSummary> {
  const { base, key, prefix, signal, onRequest } = remote;
  const client = new PacedClient(base, key, signal);
  const access = await accessOf(client).catch((error) => inconclusive(error));
  if (access && "verdict" in access) {
    yield { name: "access", promise: "The service answers each request.", ...access, seconds: 0 };
    return { animals: 0, orders: 0, requests: 0 };
  }
  if (!access) throw new KeyRefused("the service does not accept this key (401).");
  const session = new ContractSession({ client, prefix, access, onRequest });
  for (const group of GROUPS) {
    yield await outcomeOf(group, () => runGroup(group, session));
    signal.throwIfAborted();
  }
  yield await outcomeOf(COVER, () => judgeCoverage(session));
  return { animals: session.animals.length, orders: session.orders.size, requests: session.requests };
}

/** The finding if a service did not answer in time. Any other failure means that there is no service, and ends the command. */
function inconclusive(error: unknown): Finding {
  const finding = findingOf(error);
  if (finding?.verdict === "inconclusive") return finding;
  throw error;
}

async function runGroup(group: Group, session: ContractSession): Promise<Finding> {
  const lack = lackOf(session.access, group.needs);
  if (lack !== undefined) return { verdict: "skipped", details: [lack] };
  const before = session.requests;
  await runCases(group, session);
  const requests = session.requests - before;
  return { verdict: "passed", details: [`${requests} requests`], figures: { requests } };
}

/** A service that others use cannot be made to give every declared response, but it must give no other. */
async function judgeCoverage(session: ContractSession): Promise<Finding> {
  const coverage = await coverageOf(session);
  if (!coverage) return { verdict: "skipped", details: ["the service does not publish its document"] };
  const { declared, exercised, undeclared, unseen } = coverage;
  const figures = { declared, exercised };
  if (undeclared.length > 0) {
    const failure = { expected: "only responses that the document declares", actual: undeclared.join(", ") };
    return { verdict: "failed", details: [], figures, failure };
  }
  const missed = unseen.filter((pair) => !beyondReach(pair, Date.now()));
  const seen = `${declared.length - unseen.length} of the ${declared.length} declared responses seen`;
  const others = missed.length > 0 ? `; not requested: ${missed.join(", ")}` : "";
  return { verdict: "passed", details: [seen + others], figures };
}
