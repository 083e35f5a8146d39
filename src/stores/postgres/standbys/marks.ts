import type { SQL } from "bun";
import type { Revision } from "../../../domain/revision.ts";

/** The newest row of a log: its number, 0 if there is none, and the token by which no other history has the same row. */
export interface Mark {
  readonly number: number;
  readonly token: number | undefined;
}

/** How far a server has come, in both logs of the store that it holds. */
export interface Marks {
  /** The identity of the store; `undefined` if there is none. The logs of two stores have the same numbers. */
  readonly store: string | undefined;
  readonly appends: Mark;
  readonly rewrites: Mark;
}

/** A revision of the primary, with the marks that it was made of. */
export type MarkedRevision = Revision & { readonly marks: Marks };

/** The marks of a server that should be a standby. */
export interface StandbyMarks extends Marks {
  /** Whether it still replays the log of another server: a promoted server does not. */
  readonly isStandby: boolean;
}

interface Row {
  readonly store: string | null;
  readonly appends: bigint | null;
  readonly appendToken: number | null;
  readonly rewrites: bigint | null;
  readonly rewriteToken: number | null;
}

const TOKENS = `
  SELECT (SELECT identity FROM animal_store.state WHERE single) AS store,
         (SELECT token FROM animal_store.append_log WHERE number = $1) AS append,
         (SELECT token FROM animal_store.rewrite_log WHERE number = $2) AS rewrite`;

// Both are templates, which the library prepares: a text alone the server would plan each time, for as much CPU time as all
// else that it does with it. A log may be empty, so each is joined.

/**
 * The revision of the primary. `ORDER BY … LIMIT 1` instead of `max()`: before PostgreSQL 18, a plan for `max()` that is made
 * while a log is nearly empty reads the whole log, and a connection keeps its plans while the log grows.
 *
 * @param epoch see `Revision`
 */
export async function readMarkedRevision(sql: SQL, epoch: number): Promise<MarkedRevision> {
  const [row] = await sql<(Row & { keys: bigint })[]>`
    SELECT a.number AS appends, a.token AS "appendToken", r.number AS rewrites, r.token AS "rewriteToken",
           s.keys_revision AS keys, s.identity AS store
      FROM animal_store.state s
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.append_log ORDER BY number DESC LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) r ON true
     WHERE s.single`;
  const { keys, ...found } = row as Row & { keys: bigint };
  const marks = marksOf(found);
  const rewrite = marks.rewrites.number;
  return { epoch, append: marks.appends.number + rewrite, rewrite, keys: Number(keys), marks };
}

/** The marks of a server, and whether it is a standby still. */
export async function readStandbyMarks(sql: SQL): Promise<StandbyMarks> {
  const [row] = await sql<(Row & { isStandby: boolean })[]>`
    SELECT a.number AS appends, a.token AS "appendToken", r.number AS rewrites, r.token AS "rewriteToken", s."isStandby",
           i.identity AS store
      FROM (SELECT pg_is_in_recovery() AS "isStandby") s
      LEFT JOIN animal_store.state i ON i.single
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.append_log ORDER BY number DESC LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT number, token FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) r ON true`;
  const { isStandby, ...found } = row as Row & { isStandby: boolean };
  return { ...marksOf(found), isStandby };
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

function marksOf({ store, appends, appendToken, rewrites, rewriteToken }: Row): Marks {
  return {
    store: store ?? undefined,
    appends: { number: Number(appends ?? 0), token: appendToken ?? undefined },
    rewrites: { number: Number(rewrites ?? 0), token: rewriteToken ?? undefined },
  };
}
