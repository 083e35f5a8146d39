-- Orders. The program writes `store_order` alone: triggers keep the animals' statuses in agreement with it, so that a
-- change by hand is held to the same rules. The SQLite migration of the same name explains what both engines have.

-- A create locks this table first, so the migration does too: in any other order, it and the creates of running instances
-- would hold what the other waits for, at every attempt.
LOCK TABLE animal_store.state IN ACCESS EXCLUSIVE MODE;

CREATE TABLE animal_store.store_order (
  id bigint NOT NULL CHECK (id > 0),
  animal_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled')),
  placed_at bigint NOT NULL,
  updated_at bigint NOT NULL CHECK (updated_at >= placed_at)
);

-- An open order (placed, approved) has its animal pending, and a delivered order has it sold: so an animal has at most
-- one of them all.
CREATE UNIQUE INDEX one_open_or_delivered_order_per_animal ON animal_store.store_order (animal_id)
  WHERE status <> 'cancelled';
CREATE INDEX store_order_by_status ON animal_store.store_order (status, id);
CREATE INDEX store_order_by_animal_and_status ON animal_store.store_order (animal_id, status, id);

-- Of indexes that seem to cost the same, PostgreSQL takes the newest. While a table has one row, a search for
-- an id seems to cost the same in each index that has the id in any place, and a session keeps its plans while the table grows.
-- So the primary keys are made last. In a table that is larger already they are cheaper.
ALTER TABLE animal_store.store_order ADD PRIMARY KEY (id);

DO $$ BEGIN
  IF (SELECT count(*) FROM (SELECT FROM animal_store.animal LIMIT 1000) few) < 1000 THEN
    ALTER TABLE animal_store.animal DROP CONSTRAINT animal_pkey, ADD PRIMARY KEY (id);
  END IF;
END $$;

ALTER TABLE animal_store.store_order ADD FOREIGN KEY (animal_id) REFERENCES animal_store.animal (id);

-- Ids are taken from this sequence under the lock of `rewrite_lock`, which is held until the commit: so orders become
-- visible in the order of their ids.
CREATE SEQUENCE animal_store.store_order_id_seq CACHE 1 OWNED BY animal_store.store_order.id;

-- The order that a request placed, where it placed one: its animal is `animal_id`, and it was placed at `created_at`.
ALTER TABLE animal_store.idempotency_key ADD COLUMN order_id bigint;

-- The functions that look rows up do so by an index, as the program's sessions do: a session by hand may have planned their
-- statements while the store was small, and it would then read whole tables under the locks of creates and orders.
ALTER FUNCTION animal_store.lock_animal_ids() SET enable_seqscan = off;
ALTER FUNCTION animal_store.lock_rewrites() SET enable_seqscan = off;

-- Locks out other orders and rewrites, and brings the sequence of orders past every row that is there; returns the last
-- id that was given. Orders above 2^62 do not count: so many ids are left for later orders.
CREATE FUNCTION animal_store.lock_order_ids() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  given bigint;
  highest bigint;
BEGIN
  PERFORM animal_store.lock_rewrites();
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO given FROM animal_store.store_order_id_seq;
  SELECT id INTO highest FROM animal_store.store_order WHERE id <= 4611686018427387904 ORDER BY id DESC LIMIT 1;
  IF highest > given THEN
    PERFORM setval('animal_store.store_order_id_seq', highest);
    RETURN highest;
  END IF;
  RETURN given;
END $$;

-- Takes the ids up to `highest` from a sequence, unless they are very many. `nextval` never lowers a sequence, so this needs
-- no lock.
CREATE FUNCTION animal_store.take_ids(sequence regclass, highest bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given bigint := coalesce(pg_sequence_last_value(sequence), 0);
BEGIN
  IF highest - given BETWEEN 1 AND 100000 THEN
    PERFORM nextval(sequence) FROM generate_series(given + 1, highest);
  END IF;
END $$;

-- PostgreSQL refuses to prepare a transaction that has notified. A transaction by hand that was prepared (PREPARE TRANSACTION)
-- and is not resolved would hold the locks of its commit, and so stop every order and every create.
CREATE FUNCTION animal_store.refuse_preparing() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('animal_store.appends', true) IS DISTINCT FROM 'on' THEN
    PERFORM pg_notify('animal_store', '');
  END IF;
END $$;

-- As before, and the transaction cannot be prepared.
CREATE OR REPLACE FUNCTION animal_store.note_rewriting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO animal_store.rewriting (transaction) VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
  PERFORM animal_store.refuse_preparing();
  RETURN NULL;
END $$;

-- As before, and the transaction cannot be prepared: it holds the lock of every create.
CREATE OR REPLACE FUNCTION animal_store.count_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1 WHERE single;
  PERFORM animal_store.refuse_preparing();
  RETURN NULL;
END $$;

-- As before, and the transaction cannot be prepared. It also takes the ids that the transaction brought, so that no create or
-- order chooses one of them. It would wait for the transaction, which waits at its commit for the lock that the create or the
-- order holds.
CREATE OR REPLACE FUNCTION animal_store.note_new_ids() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO animal_store.rewriting AS noted VALUES (pg_current_xact_id(), true)
  ON CONFLICT (transaction) DO UPDATE SET new_ids = true WHERE NOT noted.new_ids;
  PERFORM animal_store.refuse_preparing();
  PERFORM animal_store.take_ids('animal_store.animal_id_seq', id)
     FROM (SELECT id FROM animal_store.animal WHERE id <= 4611686018427387904 ORDER BY id DESC LIMIT 1) newest;
  PERFORM animal_store.take_ids('animal_store.store_order_id_seq', id)
     FROM (SELECT id FROM animal_store.store_order WHERE id <= 4611686018427387904 ORDER BY id DESC LIMIT 1) newest;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION animal_store.repair_sequences() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM animal_store.lock_animal_ids();
  PERFORM setval('animal_store.api_key_id_seq', highest)
     FROM (SELECT id AS highest FROM animal_store.api_key ORDER BY id DESC LIMIT 1) keys, animal_store.api_key_id_seq
    WHERE highest >= last_value;
  PERFORM setval('animal_store.stock_correction_id_seq', highest)
     FROM (SELECT id AS highest FROM animal_store.stock_correction ORDER BY id DESC LIMIT 1) corrections,
          animal_store.stock_correction_id_seq
    WHERE highest >= last_value;
  PERFORM animal_store.lock_order_ids();
END $$;

-- As before; a transaction that brought ids may have brought those of orders.
CREATE OR REPLACE FUNCTION animal_store.count_rewriting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  with_new_ids boolean;
BEGIN
  DELETE FROM animal_store.rewriting r WHERE r.transaction = NEW.transaction RETURNING r.new_ids INTO with_new_ids;
  IF with_new_ids THEN
    PERFORM animal_store.lock_animal_ids();
    PERFORM animal_store.lock_order_ids();
  ELSE
    PERFORM animal_store.lock_rewrites();
  END IF;
  INSERT INTO animal_store.rewrite_log DEFAULT VALUES;
  RETURN NULL;
END $$;

-- The triggers that follow fire for each statement, also if it changes no order, which is no rewrite. Otherwise each
-- updates `animal`, whose own trigger notes the rewrite, also where the update finds no animal.
--
-- A session keeps the plan of each statement that follows, and makes it for the first batch that it meets, perhaps while the
-- store is nearly empty. So none joins the orders of a batch to a table, since the planner might then read all of the table:
-- rows are looked up by an array of ids, or by a subquery with a limit, which only an index can do.

-- Gives the animals of new orders the statuses that these mean. An animal that has its status already is written all the
-- same: so a transaction with an older snapshot cannot change it without noticing.
CREATE FUNCTION animal_store.follow_new_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  sold bigint[];
  pending bigint[];
  followed bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM added) THEN
    RETURN NULL;
  END IF;
  pending := ARRAY(SELECT animal_id FROM added WHERE status IN ('placed', 'approved'));
  UPDATE animal_store.animal SET status = 'pending' WHERE id = ANY (pending) AND status <> 'sold';
  GET DIAGNOSTICS followed = ROW_COUNT;
  IF followed < cardinality(pending) THEN
    RAISE EXCEPTION 'animal % is sold and cannot be ordered',
      (SELECT id FROM animal_store.animal WHERE id = ANY (pending) AND status = 'sold' LIMIT 1)
      USING ERRCODE = 'check_violation';
  END IF;
  sold := ARRAY(SELECT animal_id FROM added WHERE status = 'delivered');
  IF cardinality(sold) > 0 THEN
    UPDATE animal_store.animal SET status = 'sold' WHERE id = ANY (sold);
  END IF;
  RETURN NULL;
END $$;

-- EXCEPT takes time in proportion to the steps. A join of the two tables would compare each order with each other one.
CREATE FUNCTION animal_store.follow_order_steps() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  sold bigint[];
  available bigint[];
BEGIN
  IF NOT EXISTS (SELECT FROM after_step) THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(animal_id) FILTER (WHERE status = 'delivered'), array_agg(animal_id) FILTER (WHERE status = 'cancelled')
    INTO sold, available
    FROM (SELECT id, animal_id, status FROM after_step EXCEPT SELECT id, animal_id, status FROM before_step) step;
  IF sold IS NOT NULL THEN
    UPDATE animal_store.animal SET status = 'sold' WHERE id = ANY (sold);
  END IF;
  IF available IS NOT NULL OR sold IS NULL THEN
    UPDATE animal_store.animal SET status = 'available' WHERE id = ANY (available);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.refuse_order_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    IF EXISTS (SELECT FROM animal_store.store_order WHERE status <> 'cancelled') THEN
      RAISE EXCEPTION 'some orders are not cancelled: only cancelled orders can be removed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  ELSIF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'order % is %: only cancelled orders can be removed', OLD.id, OLD.status
      USING ERRCODE = 'restrict_violation';
  ELSIF NEW.id <> OLD.id OR NEW.animal_id <> OLD.animal_id THEN
    RAISE EXCEPTION 'order % keeps its id and its animal: cancel it, and place another', OLD.id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RAISE EXCEPTION 'order % is % and cannot become %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
END $$;

-- Refuses a status that contradicts an animal's open or delivered order.
CREATE FUNCTION animal_store.assert_orders_agree() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  wrong record;
BEGIN
  SELECT a.id, a.status, o.id AS order_id, o.status AS order_status INTO wrong
    FROM changed a,
         LATERAL (SELECT id, status FROM animal_store.store_order
                   WHERE animal_id = a.id AND status <> 'cancelled' LIMIT 1) o
   WHERE a.status <> CASE o.status WHEN 'delivered' THEN 'sold' ELSE 'pending' END LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'animal % cannot become %, since its order % is %', wrong.id, wrong.status, wrong.order_id,
      wrong.order_status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.assert_not_ordered() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (SELECT FROM animal_store.store_order WHERE animal_id = OLD.id) THEN
    RAISE EXCEPTION 'animal % has orders, so it cannot be removed or get another id', OLD.id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

REVOKE EXECUTE ON FUNCTION animal_store.follow_new_orders(), animal_store.follow_order_steps(),
                           animal_store.refuse_order_change(), animal_store.assert_orders_agree(),
                           animal_store.assert_not_ordered() FROM PUBLIC;

CREATE TRIGGER orders_removed AFTER DELETE OR TRUNCATE ON animal_store.store_order
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_rewriting();

-- As for animals: nothing is known of the ids that other sessions insert.
CREATE TRIGGER order_inserted AFTER INSERT ON animal_store.store_order
  FOR EACH STATEMENT WHEN (current_setting('animal_store.appends', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION animal_store.note_new_ids();

CREATE TRIGGER orders_added AFTER INSERT ON animal_store.store_order
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION animal_store.follow_new_orders();

CREATE TRIGGER orders_stepped AFTER UPDATE ON animal_store.store_order
  REFERENCING OLD TABLE AS before_step NEW TABLE AS after_step FOR EACH STATEMENT
  EXECUTE FUNCTION animal_store.follow_order_steps();

-- The steps of `mayBecome` in src/domain/order.ts.
CREATE TRIGGER order_step_refused BEFORE UPDATE ON animal_store.store_order FOR EACH ROW
  WHEN (NEW.id <> OLD.id OR NEW.animal_id <> OLD.animal_id OR NEW.status <> OLD.status AND
        (OLD.status, NEW.status) NOT IN (('placed', 'approved'), ('placed', 'cancelled'),
                                         ('approved', 'delivered'), ('approved', 'cancelled')))
  EXECUTE FUNCTION animal_store.refuse_order_change();

CREATE TRIGGER order_removal_refused BEFORE DELETE ON animal_store.store_order FOR EACH ROW
  WHEN (OLD.status <> 'cancelled') EXECUTE FUNCTION animal_store.refuse_order_change();

CREATE TRIGGER orders_truncated BEFORE TRUNCATE ON animal_store.store_order
  FOR EACH STATEMENT EXECUTE FUNCTION animal_store.refuse_order_change();

CREATE TRIGGER animal_agrees AFTER UPDATE ON animal_store.animal
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION animal_store.assert_orders_agree();

CREATE TRIGGER animal_removed BEFORE DELETE ON animal_store.animal
  FOR EACH ROW EXECUTE FUNCTION animal_store.assert_not_ordered();

CREATE TRIGGER animal_id_kept BEFORE UPDATE OF id ON animal_store.animal FOR EACH ROW
  WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION animal_store.assert_not_ordered();
