/** Statements that an instance of 0.2.0 sends to PostgreSQL, as its connections prepared them. */
export const STATEMENTS = {
  revision: `
    SELECT (SELECT number FROM animal_store.append_log ORDER BY number DESC LIMIT 1) AS appends,
           (SELECT number FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) AS rewrites,
           keys_revision AS keys
      FROM animal_store.state WHERE single`,
  find: `SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal WHERE id = $1`,
  pending: `
    SELECT * FROM (
      SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
       WHERE (status, id) > ('pending', $1) AND status <= 'pending' ORDER BY status, id LIMIT 101
    ) AS longest LIMIT $2`,
  create: `
    WITH locked AS MATERIALIZED (
      SELECT FROM animal_store.state WHERE single AND keys_revision <= $1 FOR UPDATE
    ), granted AS MATERIALIZED (
      SELECT nextval('animal_store.animal_id_seq') AS id, name, category_id, status
        FROM locked, unnest($2::text[], $3::bigint[], $4::text[]) AS new (name, category_id, status)
    ), logged AS (
      INSERT INTO animal_store.append_log SELECT FROM locked
    ), added AS (
      INSERT INTO animal_store.animal SELECT id, name, category_id, status FROM granted
    )
    SELECT id FROM granted`,
  createWithKey: `
    WITH locked AS MATERIALIZED (
      SELECT FROM animal_store.state WHERE single AND keys_revision <= $1 FOR UPDATE
    ), asked AS MATERIALIZED (
      SELECT new.*, (SELECT r FROM animal_store.idempotency_key r
                      WHERE r.line = new.line AND r.key = new.key AND r.created_at + 0 > $8::bigint) AS known
        FROM locked, unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[])
                     WITH ORDINALITY AS new (name, category_id, status, line, key, digest, n)
    ), granted AS MATERIALIZED (
      SELECT nextval('animal_store.animal_id_seq') AS id, * FROM asked WHERE (known).animal_id IS NULL
    ), claimed AS (
      INSERT INTO animal_store.idempotency_key AS r (line, key, digest, animal_id, created_at)
      SELECT line, key, digest, id, $9::bigint FROM granted WHERE key IS NOT NULL
      ON CONFLICT (line, key) DO UPDATE SET
        digest = CASE WHEN r.created_at > $8::bigint THEN r.digest ELSE excluded.digest END,
        animal_id = CASE WHEN r.created_at > $8::bigint THEN r.animal_id ELSE excluded.animal_id END,
        created_at = CASE WHEN r.created_at > $8::bigint THEN r.created_at ELSE excluded.created_at END
      RETURNING line, key, digest, animal_id
    ), logged AS (
      INSERT INTO animal_store.append_log SELECT WHERE EXISTS (SELECT FROM granted)
    ), added AS (
      INSERT INTO animal_store.animal
      SELECT id, name, category_id, status FROM granted
       WHERE key IS NULL OR id IN (SELECT animal_id FROM claimed)
    )
    SELECT coalesce((a.known).animal_id, c.animal_id, g.id) AS id, coalesce((a.known).digest, c.digest) AS digest,
           (g.id IS NULL OR c.animal_id <> g.id) IS TRUE AS earlier
      FROM asked a
      LEFT JOIN granted g USING (n)
      LEFT JOIN claimed c ON c.line = g.line AND c.key = g.key
     ORDER BY a.n`,
} as const;
