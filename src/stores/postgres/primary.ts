import { Refused } from "./refused.ts";
import { type Credentials, connect, type Session } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** How long the others are waited for when one server has said that it takes writes. */
const OTHERS_MS = 200;

/** A server that can be used, with a first connection to it. */
export interface Found {
  readonly host: Host;
  readonly session: Session;
  /** Not so where it was made read-only; it is no standby, so what it has is not behind. */
  readonly writable: boolean;
}

/** Why none can be used: each host with its reason. */
export class NoPrimary extends Error {
  /** Whether one of them may take us in a moment. */
  readonly passing: boolean;

  constructor(hosts: readonly Host[], reasons: readonly Refused[]) {
    super(hosts.map((host, at) => `${nameOf(host)} ${reasons[at]?.message}`).join("; "), {
      cause: reasons[0]?.cause,
    });
    this.name = "NoPrimary";
    this.passing = reasons.some(({ passing }) => passing);
  }
}

/**
 * Asks all hosts at once which of them takes writes. A server that was the primary until another was
 * promoted is on an earlier timeline, and is passed over when it comes back; of equals the first is taken.
 * Where none takes writes, one that was made read-only will do for reads; a standby never, since what it has
 * may be behind.
 *
 * @param timeline the latest that was seen so far
 * @param checkPooler whether to look for a pooler that shares its sessions
 * @throws NoPrimary
 */
export async function findPrimary(
  url: PostgresUrl,
  credentials: Credentials,
  timeline: number,
  checkPooler: boolean,
): Promise<Found> {
  const answers = await ask(url, credentials, timeline, checkPooler);
  const [chosen] = answers
    .flatMap((answer, at) => (isSession(answer) ? [{ host: url.hosts[at] as Host, session: answer }] : []))
    .toSorted(({ session: { server: a } }, { session: { server: b } }) =>
      a.readOnly === b.readOnly ? b.timeline - a.timeline : a.readOnly ? 1 : -1,
    );
  for (const answer of answers) if (isSession(answer) && answer !== chosen?.session) drop(answer);
  if (chosen) return { ...chosen, writable: !chosen.session.server.readOnly };
  throw new NoPrimary(url.hosts, answers as Refused[]);
}

/** Whether a server may be used, by what it says of itself. */
export function refusalOf({ standby, timeline }: ServerInfo, latest: number): Refused | undefined {
  if (standby) return new Refused("is a standby, which takes no writes; name the primary too");
  if (timeline < latest) {
    const why = "was the primary before another was promoted, and lacks what was written since";
    return new Refused(`${why}; where that is meant, start Animal Store anew`);
  }
  return undefined;
}

/** The hosts' answers, as far as they came in time. */
async function ask(
  url: PostgresUrl,
  credentials: Credentials,
  timeline: number,
  checkPooler: boolean,
): Promise<(Session | Refused | undefined)[]> {
  const answers: (Session | Refused | undefined)[] = url.hosts.map(() => undefined);
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  let decided = false;
  const note = (at: number, answer: Session | Refused) => {
    const refusal = isSession(answer) ? refusalOf(answer.server, timeline) : undefined;
    if (isSession(answer) && (decided || refusal)) drop(answer);
    if (decided) return;
    answers[at] = refusal ?? answer;
    if (!answers.includes(undefined)) resolve();
    else if (isSession(answer) && !refusal && !answer.server.readOnly)
      timer ??= setTimeout(resolve, OTHERS_MS);
  };
  for (const [at, host] of url.hosts.entries()) {
    void connect(host, url, credentials, checkPooler).then(
      (session) => note(at, session),
      (refused) => note(at, refused),
    );
  }
  await enough;
  decided = true;
  clearTimeout(timer);
  return answers;
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
