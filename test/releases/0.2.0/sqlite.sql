PRAGMA application_id = 1095652180;
PRAGMA user_version = 10;
CREATE TABLE animal (
  -- AUTOINCREMENT: an id is never given twice, whatever is lost or removed.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0),
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256: the key itself is stored nowhere.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  -- The key works in this environment only.
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
  -- The id of the key that a chain of rotations began with. NULL: this key is the first of its line.
  line INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL CHECK (length(value) >= 32)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_key (
  -- The line of API keys that the record belongs to.
  line INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256, in hexadecimal.
  digest TEXT NOT NULL CHECK (length(digest) = 64),
  animal_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (line, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE import (
  -- SHA-256 of the file, in hexadecimal.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  -- How many of the file's animals are published, and how many the file has.
  done INTEGER NOT NULL CHECK (done BETWEEN 0 AND total),
  total INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  finished_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE incomplete_copy (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  source TEXT NOT NULL
) STRICT;
CREATE TABLE stock_correction (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  made_at INTEGER NOT NULL,
  made_by TEXT NOT NULL,
  animal_id INTEGER NOT NULL,
  name_before TEXT NOT NULL,
  category_id_before INTEGER NOT NULL,
  status_before TEXT NOT NULL,
  -- All three are NULL where the animal was removed.
  name_after TEXT,
  category_id_after INTEGER,
  status_after TEXT,
  CHECK ((name_after IS NULL) = (category_id_after IS NULL) AND (name_after IS NULL) = (status_after IS NULL))
) STRICT;
CREATE TABLE revision (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  -- An animal was changed or removed, or was added with an id that is not the highest.
  rewrites INTEGER NOT NULL DEFAULT 0,
  keys INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO animal VALUES (1, 'Rex', 9223372036854775807, 'available');
INSERT INTO animal VALUES (2, 'Bella 🐈', -7, 'sold');
INSERT INTO animal VALUES (4, 'imported', 5, 'available');
INSERT INTO api_key VALUES (1, x'015a108b65a71c9c7b8876ac2e9a88765cc4a1c411066f54edcc3ee521a96972', 'first key', '["pets:read","pets:write"]', 'staging', NULL, 1795316487327, NULL, NULL);
INSERT INTO secret VALUES ('cursor', x'6319f70661b0a7096e9b92de1b00a8e7b05f4840ecd377cf30994393755b7dbb');
INSERT INTO idempotency_key VALUES (1, 'first', 'd3dbeaf794826179c9e807606a6b472fbb23f155985b90f9b1cdce69db65ae14', 1, 1795316487484);
INSERT INTO import VALUES ('18dc5d2d43ef9df4fb35c40532681bceaad9989d9f3c78b11c41d4fefe779af0', 1, 1, 4, 4, 1795316488214);
INSERT INTO stock_correction VALUES (1, 1795316487818, 'clerk@shop', 2, 'Bella 🐈', -7, 'pending', 'Bella 🐈', -7, 'sold');
INSERT INTO stock_correction VALUES (2, 1795316488004, 'clerk@shop', 3, 'gone', 1, 'sold', NULL, NULL, NULL);
INSERT INTO revision VALUES (1, 2, 1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('api_key', 1);
INSERT INTO sqlite_sequence VALUES ('animal', 4);
INSERT INTO sqlite_sequence VALUES ('stock_correction', 2);
CREATE INDEX animal_by_status ON animal (status);
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);
CREATE INDEX stock_correction_by_animal ON stock_correction (animal_id);
CREATE TRIGGER animal_updated AFTER UPDATE ON animal BEGIN UPDATE revision SET rewrites = rewrites + 1; END;
CREATE TRIGGER animal_deleted AFTER DELETE ON animal BEGIN UPDATE revision SET rewrites = rewrites + 1; END;
CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER animal_inserted BEFORE INSERT ON animal
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM animal WHERE id >= NEW.id)
  BEGIN UPDATE revision SET rewrites = rewrites + 1; END;
