import { Refused } from "./refused.ts";
import { type Credentials, connect, type Session } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** How long the others are waited for when one server has said that it takes writes. */
const OTHERS_MS = 200;
/** How often a standby is asked again while another host has not answered: it may be promoted meanwhile. */
const ASK_AGAIN_MS = 100;

/** A server that can be used, with a first connection to it. */
export interface Primary {
  readonly host: Host;
  readonly session: Session;
  /** Not so where it was made read-only; it is no standby, so what it has is not behind. */
  readonly writable: boolean;
}

/** No host can be used; the message has the reason for each. */
export class NoPrimary extends Error {
  /** Whether a later attempt may succeed with one of the hosts. */
  readonly transient: boolean;
  /** The latest timeline that any server has told of. */
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
 * Asks all hosts at once which of them is the primary. Every server on an earlier timeline than the latest that any of
 * them tells of, standbys included, was replaced, and is discarded whether or not it takes writes. Of the rest the
 * first that takes writes is taken; where none does, the first that was made read-only will do for reads. A standby is
 * never used, since what it has may be behind.
 *
 * @param timeline the latest that was seen so far
 * @param isStart see `connect`
 * @throws NoPrimary
 */
export async function findPrimary(
  url: PostgresUrl,
  credentials: Credentials,
  timeline: number,
  isStart: boolean,
): Promise<Primary> {
  const answers = await ask(url, credentials, timeline, isStart);
  const sessions = answers.filter(isSession);
  const latest = Math.max(timeline, ...sessions.map(({ server }) => server.timeline));
  const usable = sessions.filter(({ server }) => refusalOf(server, latest) === undefined);
  const chosen = usable.find(({ server }) => !server.readOnly) ?? usable[0];
  for (const session of sessions) if (session !== chosen) drop(session);
  if (chosen) {
    const host = url.hosts[answers.indexOf(chosen)] as Host;
    return { host, session: chosen, writable: !chosen.server.readOnly };
  }
  const reasons = answers.map((answer) => (isSession(answer) ? refusalOf(answer.server, latest) : answer));
  throw new NoPrimary(url.hosts, reasons as Refused[], latest);
}

/**
 * Why a server may not be used, by what it says of itself.
 *
 * @param latest the latest timeline that any server has told of
 */
export function refusalOf({ standby, timeline }: ServerInfo, latest: number): Refused | undefined {
  if (standby) return new Refused("is a standby, which takes no writes; name the primary too");
  if (timeline < latest) {
    const why = "was the primary before another was promoted, and lacks what was written since";
    return new Refused(`${why}; where that is meant, restart Animal Store`);
  }
  return undefined;
}

/** The hosts' answers, as far as they came in time. */
async function ask(
  url: PostgresUrl,
  credentials: Credentials,
  timeline: number,
  isStart: boolean,
): Promise<(Session | Refused | undefined)[]> {
  const answers: (Session | Refused | undefined)[] = url.hosts.map(() => undefined);
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  let decided = false;
  const note = (at: number, answer: Session | Refused) => {
    if (decided) return isSession(answer) && drop(answer);
    answers[at] = answer;
    if (!answers.includes(undefined)) return resolve();
    const willDo = isSession(answer) && !answer.server.readOnly && !refusalOf(answer.server, timeline);
    if (willDo) timer ??= setTimeout(resolve, OTHERS_MS);
  };
  const askHost = async (at: number, host: Host): Promise<void> => {
    const answer = await connect(host, url, credentials, isStart).catch((refused: Refused) => refused);
    const former = answers[at];
    note(at, answer);
    if (isSession(former)) drop(former);
    if (isSession(answer) && answer.server.standby && (await isPromoted(answer, () => decided))) {
      await askHost(at, host);
    }
  };
  for (const [at, host] of url.hosts.entries()) void askHost(at, host);
  await enough;
  decided = true;
  clearTimeout(timer);
  return answers;
}

/** Resolves when a standby has been promoted, with `false` when that is not to be waited for any longer. */
async function isPromoted({ sql, lost }: Session, isOver: () => boolean): Promise<boolean> {
  let isLost = false;
  void lost.then(() => {
    isLost = true;
  });
  for (;;) {
    await Bun.sleep(ASK_AGAIN_MS);
    // The library would open a lost connection again by itself.
    if (isOver() || isLost) return false;
    const [row] = await sql<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`.catch(() => []);
    if (row?.standby === false) return true;
  }
}

function isSession(answer: Session | Refused | undefined): answer is Session {
  return answer !== undefined && !(answer instanceof Refused);
}

function drop({ sql }: Session): void {
  sql.close({ timeout: 0 }).catch(() => {});
}

export function nameOf({ name, port }: Host): string {
  return name.includes(":") ? `[${name}]:${port}` : `${name}:${port}`;
}
