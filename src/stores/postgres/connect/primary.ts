import { clusterMeant, foreignCluster } from "./cluster.ts";
import { Refused } from "./refused.ts";
import { connect, endSession, type Session, type Target } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
import type { Host } from "./url.ts";

/** How long to wait for the other servers once one has answered as a primary. */
const OTHERS_MS = 200;
/** The same at the start, when no request waits yet, and the others may be primaries of another cluster. */
const START_OTHERS_MS = 1000;
/** How often to ask a standby again while another host has not answered, since the standby may be promoted. */
const ASK_AGAIN_MS = 100;

/** A usable server, with a first connection to it. */
export interface Primary {
  readonly host: Host;
  readonly session: Session;
  /** `false` if the server was made read-only. It is not a standby even then, so its data is current. */
  readonly writable: boolean;
}

/** No host can be used. The message gives the reason for each. */
export class NoPrimary extends Error {
  /** Whether a later attempt may succeed with one of the hosts. */
  readonly transient: boolean;
  /** The latest timeline that any server has reported. */
  readonly timeline: number;

  constructor(hosts: readonly Host[], reasons: readonly Refused[], timeline: number) {
    super(hosts.map((host, at) => `${nameOf(host)} ${reasons[at]?.message}`).join("; "), {
      cause: reasons[0]?.cause,
    });
    this.name = "NoPrimary";
    this.transient = reasons.some(({ transient }) => transient);
    this.timeline = timeline;
  }
}

/**
 * Asks all hosts at once which of them is the primary. A server on an earlier timeline than the latest that any server
 * reports, including standbys, was replaced; it is never used, even if it allows writes. Of the rest the first that allows
 * writes is chosen. If none does, the first that was made read-only serves reads. A standby is never used, since its data
 * may be behind. A server of another cluster is neither used nor believed.
 *
 * @param timeline the latest timeline seen so far
 * @param cluster the system identifier of the cluster, once it is known
 * @param isStart see `connect`
 * @throws NoPrimary
 */
export async function findPrimary(
  target: Target,
  timeline: number,
  isStart: boolean,
  cluster?: string,
): Promise<Primary> {
  const answers = await ask(target, timeline, isStart, cluster);
  const sessions = answers.filter(isSession);
  const meant = cluster ?? clusterMeant(sessions);
  const own = sessions.filter(({ server }) => !foreignCluster(server, meant));
  const latest = Math.max(timeline, ...own.map(({ server }) => server.timeline));
  const usable = own.filter(({ server }) => refusalOf(server, latest, meant) === undefined);
  const chosen = usable.find(({ server }) => !server.readOnly) ?? usable[0];
  for (const session of sessions) if (session !== chosen) endSession(session);
  if (chosen) {
    const host = target.hosts[answers.indexOf(chosen)] as Host;
    return { host, session: chosen, writable: !chosen.server.readOnly };
  }
  const reasons = answers.map((answer) =>
    isSession(answer) ? refusalOf(answer.server, latest, meant) : answer,
  );
  throw new NoPrimary(target.hosts, reasons as Refused[], latest);
}

/**
 * Why a server must not be used, by its own information; `undefined` if it may be used.
 *
 * @param latest the latest timeline that any server has reported
 * @param cluster see `foreignCluster`
 */
export function refusalOf(server: ServerInfo, latest: number, cluster?: string): Refused | undefined {
  const foreign = foreignCluster(server, cluster);
  if (foreign) return foreign;
  const { standby, timeline } = server;
  if (standby) return new Refused("is a standby, which takes no writes; name the primary too");
  if (timeline < latest) {
    const why = "was the primary before another was promoted, and lacks what was written since";
    return new Refused(`${why}; where that is meant, restart Animal Store`);
  }
  return undefined;
}

/** The answer of each host; `undefined` if it did not come in time. */
async function ask(
  target: Target,
  timeline: number,
  isStart: boolean,
  cluster: string | undefined,
): Promise<(Session | Refused | undefined)[]> {
  const answers: (Session | Refused | undefined)[] = target.hosts.map(() => undefined);
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  let decided = false;
  const note = (at: number, answer: Session | Refused) => {
    if (decided) return isSession(answer) && endSession(answer);
    answers[at] = answer;
    if (!answers.includes(undefined)) return resolve();
    const willDo =
      isSession(answer) && !answer.server.readOnly && !refusalOf(answer.server, timeline, cluster);
    if (willDo) timer ??= setTimeout(resolve, isStart ? START_OTHERS_MS : OTHERS_MS);
  };
  const askHost = async (at: number, host: Host): Promise<void> => {
    const answer = await connect(host, target, isStart).catch((refused: Refused) => refused);
    const former = answers[at];
    note(at, answer);
    if (isSession(former)) endSession(former);
    if (isSession(answer) && answer.server.standby && (await isPromoted(answer, () => decided))) {
      await askHost(at, host);
    }
  };
  for (const [at, host] of target.hosts.entries()) void askHost(at, host);
  await enough;
  decided = true;
  clearTimeout(timer);
  return answers;
}

/** Resolves with `true` when a standby has been promoted, or with `false` once `isOver`, or its connection is lost. */
async function isPromoted({ sql, lost }: Session, isOver: () => boolean): Promise<boolean> {
  let isLost = false;
  void lost.then(() => {
    isLost = true;
  });
  for (;;) {
    await Bun.sleep(ASK_AGAIN_MS);
    // The library would reopen a lost connection by itself.
    if (isOver() || isLost) return false;
    const [row] = await sql<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`.catch(() => []);
    if (row?.standby === false) return true;
  }
}

function isSession(answer: Session | Refused | undefined): answer is Session {
  return answer !== undefined && !(answer instanceof Refused);
}

/** A host as messages name it: `db1:5432`, `[::1]:5432`. */
export function nameOf({ name, port }: Host): string {
  return name.includes(":") ? `[${name}]:${port}` : `${name}:${port}`;
}
