import { namesOf } from "../table.ts";
import { ANIMAL, NEW_ANIMAL } from "../tables.ts";
import { eventsOf, insertAnimalEvents } from "./animal-events.ts";
import { LOCK_FEED } from "./feed-lock.ts";
import { claimExpired } from "./idempotency-keys.ts";

/** The columns that a create sets, and the parameters with an array for each: `$2` and the following. */
const NAMES = namesOf(NEW_ANIMAL);
const VALUES = NEW_ANIMAL.map(({ type }, at) => `$${2 + at}::${type}[]`).join(", ");
const COUNT = `cardinality($2::${NEW_ANIMAL[0]?.type}[])`;

/** A parameter after those of `VALUES`: the first has the position 0. */
const after = (position: number) => `$${2 + NEW_ANIMAL.length + position}`;

/** Two texts of one statement. `unrecorded` records no events, and writes nothing if the store records them. */
export interface Statements {
  readonly unrecorded: string;
  readonly recorded: string;
}

function statements(text: (recording: boolean) => string): Statements {
  return { unrecorded: text(false), recorded: text(true) };
}

/** A locked row is read in its latest version, so no create misses that recording has begun. */
function locked(recording: boolean): string {
  return `locked AS MATERIALIZED (
    SELECT recording FROM animal_store.state
     WHERE single AND keys_revision = coalesce($1::bigint, keys_revision) ${recording ? "" : "AND NOT recording"} FOR UPDATE
  )`;
}

/** The animals that creates with an `Idempotency-Key` add. The count comes first, so that all keys are claimed before. */
const ADDED = `SELECT ${namesOf(ANIMAL.columns)} FROM granted
     WHERE (SELECT count(*) FROM claimed) >= 0 AND (key IS NULL OR id IN (SELECT animal_id FROM claimed))`;

/**
 * Records the events.
 *
 * @param feed the query that locks the feed: last, when the statement waits for nothing else
 * @param added the query for the events: see `insertAnimalEvents`
 */
function recordEvents(time: string, feed: string, added: string): string {
  return `, feed AS MATERIALIZED (${feed}), noted AS (${insertAnimalEvents("animal.created", time, added)})`;
}

/** The parameters of `RETRYABLE` after the animals. */
const [LINES, KEYS, DIGESTS, EXPIRED, TIME] = [after(0), after(1), after(2), after(3), after(4)];

/** The arrays of the statement become those of the row of events: to aggregate them again would take twice the time. */
const PLAIN_EVENTS = recordEvents(
  after(0),
  `SELECT ${COUNT} AS events, ${LOCK_FEED} FROM locked WHERE recording`,
  `SELECT feed.events, ARRAY(SELECT id FROM granted), ${VALUES} FROM feed`,
);

const RETRYABLE_EVENTS = recordEvents(
  TIME,
  `SELECT ${LOCK_FEED} FROM locked WHERE recording AND EXISTS (${ADDED})`,
  eventsOf(`SELECT added.* FROM feed, (${ADDED}) AS added`),
);

/**
 * Adds the animals of `VALUES`, if the revision of the API keys is `$1`, or `$1` is null; returns their ids in order. The last
 * parameter is the time of the events.
 */
export const PLAIN = statements(
  (recording) => `
  WITH ${locked(recording)}, granted AS MATERIALIZED (
    SELECT nextval('animal_store.animal_id_seq') AS id, ${NAMES}
      FROM locked, unnest(${VALUES}) AS new (${NAMES})
  ), logged AS (
    INSERT INTO animal_store.append_log SELECT FROM locked
  ), added AS (
    INSERT INTO animal_store.animal (${namesOf(ANIMAL.columns)}) SELECT ${namesOf(ANIMAL.columns)} FROM granted
  )${recording ? PLAIN_EVENTS : ""}
  SELECT id${recording ? ", recording FROM granted, locked" : " FROM granted"}`,
);

/**
 * As `PLAIN`, with the line, key and digest of each `Idempotency-Key`, or NULL. Records from `EXPIRED` or earlier have
 * expired.
 *
 * `created_at + 0`: while statistics show an empty table, the planner considers the index by age as good as the index by
 * key, and would read all records for each create.
 *
 * `CASE`: of `IS NULL` alone the planner expects a single row. It would then join by nested loops, which compare each create
 * with each other one.
 */
export const RETRYABLE = statements(
  (recording) => `
  WITH ${locked(recording)}, asked AS MATERIALIZED (
    SELECT new.*, (SELECT r FROM animal_store.idempotency_key r
                    WHERE r.line = new.line AND r.key = new.key AND r.created_at + 0 > ${EXPIRED}::bigint) AS known
      FROM locked, unnest(${VALUES}, ${LINES}::bigint[], ${KEYS}::text[], ${DIGESTS}::text[])
                   WITH ORDINALITY AS new (${NAMES}, line, key, digest, n)
  ), granted AS MATERIALIZED (
    SELECT nextval('animal_store.animal_id_seq') AS id, * FROM asked
     WHERE CASE WHEN (known).animal_id IS NULL THEN true END
  ), claimed AS (
    INSERT INTO animal_store.idempotency_key AS r (line, key, digest, animal_id, created_at)
    SELECT line, key, digest, id, ${TIME}::bigint FROM granted WHERE key IS NOT NULL ORDER BY line, key COLLATE "C"
    ${claimExpired(`${EXPIRED}::bigint`)}
    RETURNING line, key, digest, animal_id
  ), logged AS (
    INSERT INTO animal_store.append_log SELECT WHERE EXISTS (SELECT FROM granted)
  ), added AS (
    INSERT INTO animal_store.animal (${namesOf(ANIMAL.columns)})
    ${ADDED}
  )${recording ? RETRYABLE_EVENTS : ""}
  SELECT coalesce((a.known).animal_id, c.animal_id, g.id) AS id, coalesce((a.known).digest, c.digest) AS digest,
         (g.id IS NULL OR c.animal_id <> g.id) IS TRUE AS earlier${recording ? ", (SELECT recording FROM locked)" : ""}
    FROM asked a
    LEFT JOIN granted g USING (n)
    LEFT JOIN claimed c ON c.line = g.line AND c.key = g.key
   ORDER BY a.n`,
);
