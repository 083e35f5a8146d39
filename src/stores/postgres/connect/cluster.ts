import { Refused } from "./refused.ts";
import type { Session } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";

/** What no cluster is called: the URL names two, and nothing says which is meant. */
const UNDECIDED = "undecided";

/**
 * Why a server must not be asked nor believed, where it belongs to another cluster: its timeline and its data say nothing of
 * ours. A server that does not reveal its cluster passes.
 *
 * @param known the system identifier of our cluster, if it is known
 */
export function foreignCluster({ cluster }: ServerInfo, known: string | undefined): Refused | undefined {
  if (known === undefined || cluster === undefined || cluster === known) return undefined;
  if (known === UNDECIDED) {
    return new Refused(
      `is of another cluster than the others (system identifier ${cluster}); name servers of one cluster`,
    );
  }
  return new Refused(
    `belongs to another cluster (system identifier ${cluster}) than the other servers that the URL names; where that is ` +
      "meant, restart Animal Store",
  );
}

/**
 * Which cluster is meant by a URL, as its servers answer at the start: that of the primary, or of the primary that holds a
 * store.
 *
 * @returns `undefined` if no server reveals it
 */
export function clusterMeant(sessions: readonly Session[]): string | undefined {
  const primaries = sessions.map(({ server }) => server).filter(({ standby }) => !standby);
  const all = clustersOf(primaries);
  if (all.length < 2) return all[0];
  const holding = clustersOf(primaries.filter(({ holdsStore }) => holdsStore));
  return holding.length === 1 ? holding[0] : UNDECIDED;
}

function clustersOf(servers: readonly ServerInfo[]): string[] {
  return [...new Set(servers.flatMap(({ cluster }) => cluster ?? []))];
}
