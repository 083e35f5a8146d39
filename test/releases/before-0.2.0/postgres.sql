
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA animal_store;

CREATE FUNCTION animal_store.count_keys() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE animal_store.state SET keys_revision = keys_revision + 1 WHERE single;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.count_rewriting() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  with_new_ids boolean;
BEGIN
  DELETE FROM animal_store.rewriting r WHERE r.transaction = NEW.transaction RETURNING r.new_ids INTO with_new_ids;
  IF with_new_ids THEN
    PERFORM animal_store.lock_animal_ids();
  END IF;
  PERFORM FROM animal_store.rewrite_lock WHERE single FOR UPDATE;
  INSERT INTO animal_store.rewrite_log DEFAULT VALUES;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.lock_animal_ids() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  given bigint;
  highest bigint;
BEGIN
  PERFORM FROM animal_store.state WHERE single FOR UPDATE;
  PERFORM setval('animal_store.append_log_number_seq', newest)
     FROM (SELECT max(number) AS newest FROM animal_store.append_log) log, animal_store.append_log_number_seq
    WHERE newest >= last_value;
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO given FROM animal_store.animal_id_seq;
  SELECT max(id) INTO highest FROM animal_store.animal WHERE id <= 4611686018427387904;
  IF highest > given THEN
    PERFORM setval('animal_store.animal_id_seq', highest);
    RETURN highest;
  END IF;
  RETURN given;
END $$;

CREATE FUNCTION animal_store.note_new_ids() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO animal_store.rewriting AS noted VALUES (pg_current_xact_id(), true)
  ON CONFLICT (transaction) DO UPDATE SET new_ids = true WHERE NOT noted.new_ids;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.note_rewriting() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO animal_store.rewriting (transaction) VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION animal_store.repair_sequences() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM animal_store.lock_animal_ids();
  PERFORM setval('animal_store.api_key_id_seq', highest)
     FROM (SELECT max(id) AS highest FROM animal_store.api_key) keys, animal_store.api_key_id_seq
    WHERE highest >= last_value;
  PERFORM setval('animal_store.stock_correction_id_seq', highest)
     FROM (SELECT max(id) AS highest FROM animal_store.stock_correction) corrections,
          animal_store.stock_correction_id_seq
    WHERE highest >= last_value;
  PERFORM FROM animal_store.rewrite_lock WHERE single FOR UPDATE;
  PERFORM setval('animal_store.rewrite_log_number_seq', newest)
     FROM (SELECT max(number) AS newest FROM animal_store.rewrite_log) log, animal_store.rewrite_log_number_seq
    WHERE newest >= last_value;
END $$;

CREATE TABLE animal_store.animal (
    id bigint NOT NULL,
    name text NOT NULL,
    category_id bigint NOT NULL,
    status text NOT NULL,
    CONSTRAINT animal_id_check CHECK ((id > 0)),
    CONSTRAINT animal_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT animal_status_check CHECK ((status = ANY (ARRAY['available'::text, 'pending'::text, 'sold'::text])))
);

CREATE SEQUENCE animal_store.animal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE animal_store.animal_id_seq OWNED BY animal_store.animal.id;

CREATE TABLE animal_store.api_key (
    id bigint NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    line bigint,
    environment text,
    CONSTRAINT api_key_environment_check CHECK ((environment = ANY (ARRAY['production'::text, 'staging'::text]))),
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

ALTER TABLE animal_store.api_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME animal_store.api_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE animal_store.append_log (
    number bigint NOT NULL
);

ALTER TABLE animal_store.append_log ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME animal_store.append_log_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE animal_store.copy_under_way (
    single boolean DEFAULT true NOT NULL,
    source text NOT NULL,
    CONSTRAINT copy_under_way_single_check CHECK (single)
);

CREATE TABLE animal_store.import (
    digest text NOT NULL,
    done bigint NOT NULL,
    total bigint NOT NULL,
    first_id bigint NOT NULL,
    last_id bigint NOT NULL,
    finished_at bigint NOT NULL,
    CONSTRAINT import_check CHECK (((done >= 0) AND (done <= total))),
    CONSTRAINT import_digest_check CHECK ((char_length(digest) = 64))
);

CREATE TABLE animal_store.migration (
    number integer NOT NULL
);

CREATE TABLE animal_store.retry (
    api_key_id bigint NOT NULL,
    key text NOT NULL,
    digest text NOT NULL,
    animal_id bigint NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT retry_digest_check CHECK ((char_length(digest) = 64)),
    CONSTRAINT retry_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

CREATE TABLE animal_store.rewrite_lock (
    single boolean DEFAULT true NOT NULL,
    CONSTRAINT rewrite_lock_single_check CHECK (single)
);

CREATE TABLE animal_store.rewrite_log (
    number bigint NOT NULL
);

ALTER TABLE animal_store.rewrite_log ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME animal_store.rewrite_log_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE animal_store.rewriting (
    transaction xid8 NOT NULL,
    new_ids boolean DEFAULT false NOT NULL
);

CREATE TABLE animal_store.secret (
    name text NOT NULL,
    value bytea NOT NULL,
    CONSTRAINT secret_value_check CHECK ((octet_length(value) >= 32))
);

CREATE TABLE animal_store.state (
    single boolean DEFAULT true NOT NULL,
    keys_revision bigint DEFAULT 0 NOT NULL,
    CONSTRAINT state_single_check CHECK (single)
)
WITH (fillfactor='50');

CREATE TABLE animal_store.stock_correction (
    id bigint NOT NULL,
    made_at bigint NOT NULL,
    made_by text NOT NULL,
    animal_id bigint NOT NULL,
    name_before text NOT NULL,
    category_id_before bigint NOT NULL,
    status_before text NOT NULL,
    name_after text,
    category_id_after bigint,
    status_after text,
    CONSTRAINT stock_correction_check CHECK ((((name_after IS NULL) = (category_id_after IS NULL)) AND ((name_after IS NULL) = (status_after IS NULL))))
);

ALTER TABLE animal_store.stock_correction ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME animal_store.stock_correction_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

INSERT INTO animal_store.animal VALUES (1, 'Rex', 9223372036854775807, 'available');
INSERT INTO animal_store.animal VALUES (2, 'Bella 🐈', -7, 'sold');
INSERT INTO animal_store.animal VALUES (4, 'imported', 5, 'available');

INSERT INTO animal_store.api_key OVERRIDING SYSTEM VALUE VALUES (1, '\x956fb72aa6c8dcefb2188d09e8fbd8bddb9c06b8f8002f8d2557c1123d06e152', 'first key', '["pets:read","pets:write"]', 1795315549086, NULL, NULL, NULL, 'production');

INSERT INTO animal_store.append_log OVERRIDING SYSTEM VALUE VALUES (1);
INSERT INTO animal_store.append_log OVERRIDING SYSTEM VALUE VALUES (2);
INSERT INTO animal_store.append_log OVERRIDING SYSTEM VALUE VALUES (3);
INSERT INTO animal_store.append_log OVERRIDING SYSTEM VALUE VALUES (4);

INSERT INTO animal_store.import VALUES ('18dc5d2d43ef9df4fb35c40532681bceaad9989d9f3c78b11c41d4fefe779af0', 1, 1, 4, 4, 1795315553231);

INSERT INTO animal_store.migration VALUES (1);
INSERT INTO animal_store.migration VALUES (2);
INSERT INTO animal_store.migration VALUES (3);
INSERT INTO animal_store.migration VALUES (4);
INSERT INTO animal_store.migration VALUES (5);
INSERT INTO animal_store.migration VALUES (6);
INSERT INTO animal_store.migration VALUES (7);
INSERT INTO animal_store.migration VALUES (8);
INSERT INTO animal_store.migration VALUES (9);

INSERT INTO animal_store.retry VALUES (1, 'first', 'd3dbeaf794826179c9e807606a6b472fbb23f155985b90f9b1cdce69db65ae14', 1, 1795315549494);

INSERT INTO animal_store.rewrite_lock VALUES (true);

INSERT INTO animal_store.rewrite_log OVERRIDING SYSTEM VALUE VALUES (1);
INSERT INTO animal_store.rewrite_log OVERRIDING SYSTEM VALUE VALUES (2);

INSERT INTO animal_store.secret VALUES ('cursor', '\xf60b7e6d80ae86661f583543ac905d3111f21b3be9addf5e070b376c16780dd9');

INSERT INTO animal_store.state VALUES (true, 1);

INSERT INTO animal_store.stock_correction OVERRIDING SYSTEM VALUE VALUES (1, 1795315551267, 'clerk@shop', 2, 'Bella 🐈', -7, 'pending', 'Bella 🐈', -7, 'sold');
INSERT INTO animal_store.stock_correction OVERRIDING SYSTEM VALUE VALUES (2, 1795315551904, 'clerk@shop', 3, 'gone', 1, 'sold', NULL, NULL, NULL);

SELECT pg_catalog.setval('animal_store.animal_id_seq', 4, true);

SELECT pg_catalog.setval('animal_store.api_key_id_seq', 1, true);

SELECT pg_catalog.setval('animal_store.append_log_number_seq', 4, true);

SELECT pg_catalog.setval('animal_store.rewrite_log_number_seq', 2, true);

SELECT pg_catalog.setval('animal_store.stock_correction_id_seq', 2, true);

ALTER TABLE ONLY animal_store.animal
    ADD CONSTRAINT animal_pkey PRIMARY KEY (id);

ALTER TABLE ONLY animal_store.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY animal_store.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY animal_store.append_log
    ADD CONSTRAINT append_log_pkey PRIMARY KEY (number);

ALTER TABLE ONLY animal_store.copy_under_way
    ADD CONSTRAINT copy_under_way_pkey PRIMARY KEY (single);

ALTER TABLE ONLY animal_store.import
    ADD CONSTRAINT import_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY animal_store.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY animal_store.retry
    ADD CONSTRAINT retry_pkey PRIMARY KEY (api_key_id, key);

ALTER TABLE ONLY animal_store.rewrite_lock
    ADD CONSTRAINT rewrite_lock_pkey PRIMARY KEY (single);

ALTER TABLE ONLY animal_store.rewrite_log
    ADD CONSTRAINT rewrite_log_pkey PRIMARY KEY (number);

ALTER TABLE ONLY animal_store.rewriting
    ADD CONSTRAINT rewriting_pkey PRIMARY KEY (transaction);

ALTER TABLE ONLY animal_store.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (name);

ALTER TABLE ONLY animal_store.state
    ADD CONSTRAINT state_pkey PRIMARY KEY (single);

ALTER TABLE ONLY animal_store.stock_correction
    ADD CONSTRAINT stock_correction_pkey PRIMARY KEY (id);

CREATE INDEX animal_by_status ON animal_store.animal USING btree (status, id);

CREATE INDEX api_key_by_line ON animal_store.api_key USING btree (line, id);

CREATE INDEX retry_by_age ON animal_store.retry USING btree (created_at);

CREATE INDEX stock_correction_by_animal ON animal_store.stock_correction USING btree (animal_id, id);

CREATE TRIGGER animal_changed AFTER DELETE OR UPDATE OR TRUNCATE ON animal_store.animal FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_rewriting();

CREATE TRIGGER animal_inserted AFTER INSERT ON animal_store.animal FOR EACH STATEMENT WHEN ((current_setting('animal_store.appends'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION animal_store.note_new_ids();

CREATE TRIGGER animal_renumbered AFTER UPDATE OF id ON animal_store.animal FOR EACH STATEMENT EXECUTE FUNCTION animal_store.note_new_ids();

CREATE TRIGGER keys_changed BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON animal_store.api_key FOR EACH STATEMENT EXECUTE FUNCTION animal_store.count_keys();

CREATE CONSTRAINT TRIGGER rewriting_noted AFTER INSERT ON animal_store.rewriting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION animal_store.count_rewriting();

REVOKE ALL ON FUNCTION animal_store.count_keys() FROM PUBLIC;

REVOKE ALL ON FUNCTION animal_store.count_rewriting() FROM PUBLIC;

REVOKE ALL ON FUNCTION animal_store.note_new_ids() FROM PUBLIC;

REVOKE ALL ON FUNCTION animal_store.note_rewriting() FROM PUBLIC;

