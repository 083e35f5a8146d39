import type { SQL } from "bun";
import type { Revision } from "../../../domain/revision.ts";

/** The newest row of a log: its number, 0 if there is none, and the token by which no other history has the same row. */
export interface Mark {
  readonly number: number;
  readonly token: number | undefined;
}

/** How far a server has come, in both logs of the store that it holds. */
export interface Marks {
  /**
   * The identity of the store, and which table holds it: a dump that is restored brings another one. A dot alone if there is none.
   * The logs of two stores have the same numbers.
   */
  readonly store: string;
  readonly appends: Mark;
  readonly rewrites: Mark;
}

/** A revision of the primary, with the marks that it was made of, and the text in which the server has shown all that. */
export type MarkedRevision = Revision & { readonly marks: Marks; readonly shown: string };

/** The marks of a server that should be a standby, and the text in which it has shown them. */
export interface StandbyMarks extends Marks {
  /** Whether it still replays the log of another server: a promoted server does not. */
  readonly isStandby: boolean;
  readonly shown: string;
}

/** No machine is restored in less, so what a server shows within this time of a proof is of the same history. */
export const RESTORE_MIN_MS = 100;

const TOKENS = `
  SELECT (SELECT format('%s.%s', identity, tableoid) FROM animal_store.state WHERE single) AS store,
         (SELECT token FROM animal_store.append_log WHERE number = $1) AS append,
         (SELECT token FROM animal_store.rewrite_log WHERE number = $2) AS rewrite`;

// Both are templates, which the library prepares: a text alone the server would plan each time, for as much CPU time as all
// else that it does with it. A log may be empty, so each is joined. One column costs less than a column for each value, and is
// the same as before until something changes.

/**
 * The revision of the primary. `ORDER BY … LIMIT 1` instead of `max()`: before PostgreSQL 18, a plan for `max()` that is made
 * while a log is nearly empty reads the whole log, and a connection keeps its plans while the log grows.
 *
 * @param epoch see `Revision`
 * @param latest what is returned if nothing has changed since
 */
export async function readMarkedRevision(
  sql: SQL,
  epoch: number,
  latest: MarkedRevision | undefined,
): Promise<MarkedRevision> {
  const [row] = await sql<{ shown: string }[]>`
    SELECT format('%s.%s %s %s %s %s %s', s.identity, s.tableoid, a.number, a.token, r.number, r.token,
                  s.keys_revision) AS shown
      FROM animal_store.state s
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.append_log ORDER BY number DESC LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) r ON true
     WHERE s.single`;
  const { shown } = row as { shown: string };
  if (latest?.epoch === epoch && latest.shown === shown) return latest;
  const { marks, rest } = parseMarks(shown);
  const rewrite = marks.rewrites.number;
  return { epoch, append: marks.appends.number + rewrite, rewrite, keys: Number(rest), marks, shown };
}

/**
 * The marks of a server, and whether it is a standby still.
 *
 * @param latest what is returned if it shows the same
 */
export async function readStandbyMarks(sql: SQL, latest?: StandbyMarks): Promise<StandbyMarks> {
  const [row] = await sql<{ shown: string }[]>`
    SELECT format('%s.%s %s %s %s %s %s', i.identity, i.tableoid, a.number, a.token, r.number, r.token,
                  pg_is_in_recovery()) AS shown
      FROM (VALUES (1)) one
      LEFT JOIN animal_store.state i ON i.single
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.append_log ORDER BY number DESC LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) r ON true`;
  const { shown } = row as { shown: string };
  if (latest?.shown === shown) return latest;
  const { marks, rest } = parseMarks(shown);
  return { ...marks, isStandby: rest === "t", shown };
}

/** What a server has at the numbers of some marks: the tokens, `undefined` where it has no such row. */
export async function readTokensAt(
  sql: SQL,
  { appends, rewrites }: Marks,
): Promise<{
  readonly store: string | undefined;
  readonly append: number | undefined;
  readonly rewrite: number | undefined;
}> {
  const rows = await sql.unsafe<{ store: string | null; append: number | null; rewrite: number | null }[]>(
    TOKENS,
    [appends.number, rewrites.number],
  );
  const { store, append, rewrite } = rows[0] ?? {};
  return { store: store ?? undefined, append: append ?? undefined, rewrite: rewrite ?? undefined };
}

/** Whether a log shows less than before, or another row. */
export function isEarlier(before: Mark, after: Mark): boolean {
  return after.number < before.number || (after.number === before.number && after.token !== before.token);
}

/** Reads marks, and what follows them, from a text with spaces between the values, which has nothing in the place of a null. */
function parseMarks(shown: string): { readonly marks: Marks; readonly rest: string } {
  const [store = "", appends, appendToken, rewrites, rewriteToken, rest = ""] = shown.split(" ");
  const marks = {
    store,
    appends: { number: Number(appends), token: appendToken ? Number(appendToken) : undefined },
    rewrites: { number: Number(rewrites), token: rewriteToken ? Number(rewriteToken) : undefined },
  };
  return { marks, rest };
}
